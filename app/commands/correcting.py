"""What `scrapersky contacts` does."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click
import psycopg
from psycopg import Connection

from actors.parse.mail_addresses import Site, kind_of
from app.commands.addresses import domain_name, email_address
from app.commands.asking import confirm
from app.commands.session import connected
from app.commands.tables import show_rows
from app.commands.values import phone_number
from db.people import contacts, suppressions
from db.people.conditions import part

SHORTEST_ID: Final = 4
_START_OF_AN_ID = re.compile(rf"[0-9a-f]{{{SHORTEST_ID},32}}")


def run_list(domain: str | None, email: str | None, limit: int, *, as_json: bool) -> int:
    pattern = None if email is None else part(email)
    name = domain_name(domain) if domain else None
    with connected("contacts") as connection:
        rows = contacts.newest(connection, domain=name, email=pattern, limit=limit)
    if as_json:
        click.echo(json.dumps(rows, default=str, ensure_ascii=False))
    elif rows:
        shown = [(str(row["id"])[:8], row["email"], row["phone"], row["name"], row["domain"]) for row in rows]
        show_rows(("id", "email", "phone", "name", "domain"), shown, whole=("id", "email", "phone"))
    else:
        click.echo("No contacts match.", err=True)
    return 0


def run_set(given: str, changes: Sequence[str]) -> int:
    with connected("contacts") as connection:
        found = _find(connection, given)
        if len(found) > 1:
            choices = ", ".join(f"{row['id']} ({row['domain']})" for row in found)
            raise click.UsageError(f"{given!r} is more than one contact: {choices}; give an id")
        values = dict(_change(change, found[0]["region"]) for change in changes)
        correct(connection, found[0], values)
    click.echo(f"Corrected: {', '.join(values)} of {found[0]['id']}.")
    return 0


def run_delete(given: Sequence[str], *, suppress: bool, dry_run: bool, yes: bool) -> int:
    with connected("contacts") as connection:
        found = {row["id"]: row for one in given for row in _find(connection, one)}
        with connection.transaction(force_rollback=True):
            deleted, others = remove(connection, list(found.values()), suppress=suppress)
        if not dry_run:
            confirm(f"Delete {_counted(deleted, others)}{' and suppress them' if suppress else ''}?", yes=yes)
            deleted, others = remove(connection, list(found.values()), suppress=suppress)
    if dry_run:
        click.echo(f"Dry run, nothing is changed: {_counted(deleted, others)} would be deleted.")
    else:
        click.echo(f"{_counted(deleted, others)} deleted{'; suppressed from now on' if suppress else ''}.")
    return 0


def _counted(deleted: int, others: int) -> str:
    return f"{deleted} contact(s)" + (f" and {others} more with the same address or number" if others else "")


def correct(connection: Connection[Any], contact: Mapping[str, Any], values: Mapping[str, str | None]) -> None:
    """Write what was checked by `corrected`. Raises ClickException with the reason when the database refuses it."""
    try:
        contacts.correct(connection, contact["id"], _columns(values, contact["domain"]))
    except psycopg.errors.UniqueViolation:
        raise click.ClickException(
            f"{contact['domain']} has a contact with that address already; delete one of the two"
        ) from None
    except psycopg.errors.CheckViolation:
        raise click.ClickException("a contact needs an e-mail address or a telephone number") from None
    except psycopg.errors.RaiseException as error:
        raise click.ClickException(f"{error.diag.message_primary}; see: scrapersky suppress list") from None


def remove(connection: Connection[Any], found: Sequence[Mapping[str, Any]], *, suppress: bool) -> tuple[int, int]:
    """How many were deleted, and how many more because their address or number is suppressed now."""
    with connection.transaction():
        entries = entries_of(found)
        # Listed first: who lists takes the lock that writers of contacts share before any row of theirs.
        listed = suppressions.add(connection, entries, "deleted by hand").affected.contacts if suppress else 0
        deleted = contacts.delete(connection, [row["id"] for row in found])
    return (len(found), max(0, listed + deleted - len(found))) if suppress else (deleted, 0)


def entries_of(found: Sequence[Mapping[str, Any]]) -> list[suppressions.Entry]:
    """What stands on the suppression list when these contacts are suppressed."""
    addresses = [("email", row["email"]) for row in found if row["email"]]
    return addresses + [("phone", row["phone"]) for row in found if row["phone"]]


def _find(connection: Connection[Any], given: str) -> list[dict[str, Any]]:
    start = given.strip().lower().replace("-", "")
    if _START_OF_AN_ID.fullmatch(start):
        found = contacts.with_id(connection, start)
    elif "@" in given:
        found = contacts.with_email(connection, given.strip().lower())
    else:
        raise click.UsageError(
            f"{given!r} is neither an e-mail address nor the beginning of an id, {SHORTEST_ID} digits or more"
        )
    if not found:
        raise click.ClickException(f"no contact {given!r}; see: scrapersky contacts list")
    if len(found) > 1 and "@" not in given:
        raise click.UsageError(f"{given!r} is the beginning of {len(found)} ids; give more of it")
    return found


def _columns(values: Mapping[str, str | None], domain: str) -> dict[str, str | None]:
    """Another address is of another type."""
    columns = {contacts.CORRECTABLE[name]: value for name, value in values.items()}
    if "email" in columns:
        address = columns["email"]
        columns["email_type"] = kind_of(address, Site(domain)) if address else None
    return columns


def _change(text: str, region: str | None) -> tuple[str, str | None]:
    name, equals, value = text.partition("=")
    name, value = name.strip().lower(), " ".join(value.split())
    if not equals or name not in contacts.CORRECTABLE:
        raise click.UsageError(f"expected one of {', '.join(contacts.CORRECTABLE)} and =value, got {text!r}")
    try:
        return name, corrected(name, value, region)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def corrected(name: str, value: str, region: str | None) -> str | None:
    """In the form that is stored; nothing clears it. Raises ValueError with the reason."""
    if value and name == "email":
        return email_address(value)
    if value and name in {"phone", "fax"}:
        return phone_number(value, region)
    return value or None
