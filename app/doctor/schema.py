"""Tables, engine and registry belong to the same version of the program."""

from collections.abc import Iterator

from app.doctor.finding import MIGRATE, Finding, by_hand, failure, warning, well
from app.doctor.patient import Patient
from db import migrations
from db.engine_schema import schema_mark


def tables(patient: Patient) -> Iterator[Finding]:
    """The business tables are where the last migration leaves them."""
    newest = migrations.newest()
    if not patient.one("applied").tables:
        yield failure("there are no tables", "This database has not been migrated.", MIGRATE)
        return
    found = [row.revision for row in patient.look("revision")]
    if found == [newest]:
        yield well(f"revision {newest}")
    elif set(found) <= migrations.known():
        yield failure(
            f"revision {', '.join(found) or 'none'} instead of {newest}",
            "The tables are older than this program, and its statements will fail.",
            MIGRATE,
        )
    else:
        yield failure(
            f"revision {', '.join(found)}, which this program does not know",
            "The tables were made by a newer ScraperSky than this one.",
            by_hand("install the ScraperSky that the other hosts run"),
        )


def engine(patient: Patient) -> Iterator[Finding]:
    """The engine's own schema carries the mark of the text that made it."""
    applied = patient.one("applied")
    if not applied.engine:
        yield failure("there is no schema engine", "Nothing can be queued in this database.", MIGRATE)
    elif applied.mark != schema_mark():
        yield failure(
            "the schema engine was made by another version of ScraperSky",
            "Tables, functions and views of the engine may not be what this program expects.",
            MIGRATE,
        )
    else:
        yield well(f"made by this version, mark {schema_mark().split()[1][:8]}")


def registry(patient: Patient) -> Iterator[Finding]:
    """Every workflow of the registry is declared as the code has it, and no other."""
    declared = {row.name: tuple(row)[1:] for row in patient.look("declared")}
    expected = {one.name: (one.quoted_table, one.status, *one.words) for one in patient.workflows}
    missing = [name for name in expected if name not in declared]
    changed = [name for name in expected if name in declared and declared[name] != expected[name]]
    strangers = [row.name for row in patient.look("strangers", names=[*expected, "canary"])]
    if missing or changed:
        yield failure(
            f"not declared as in the code: {', '.join([*missing, *changed])}",
            "Workers find no limits for it, or look for other words than the table has.",
            MIGRATE,
        )
    if strangers:
        yield warning(
            f"declared, but not in this program: {', '.join(strangers)}",
            "Another version of ScraperSky migrated this database; nobody here takes those rows.",
            MIGRATE,
        )
    if not (missing or changed or strangers):
        yield well(f"{len(expected)} workflows as declared")


def tenant(patient: Patient) -> Iterator[Finding]:
    found, wanted = patient.one("tenant").id, patient.settings.default_tenant_id
    if found == wanted:
        yield well(f"new rows belong to {found}")
        return
    yield warning(
        f"new rows belong to {found}, and DEFAULT_TENANT_ID is {wanted}",
        "The setting changed after the last migration.",
        MIGRATE,
    )
