"""What a person types for a number, a country or who must not be contacted, in the one form that is stored."""

import re
from typing import Final, NamedTuple

import click
import phonenumbers

from actors.parse.domains import registrable_domain
from actors.parse.urls import website_url
from app.commands.addresses import email_address

_LIKE_A_NUMBER: Final = re.compile(r"\+?[0-9 ()./\-\u00a0]*")
_EVERYBODY_AT: Final = re.compile(r"[*%]?[@.]|[*%]@[*%]\.")


class Suppressible(NamedTuple):
    """Who must not be contacted: an e-mail address, a number, or everybody at a domain."""

    kind: str
    value: str


def known_region(text: str | None) -> str | None:
    """Two letters that name a country with telephones."""
    if text is None:
        return None
    region = text.strip().upper()
    if region not in phonenumbers.SUPPORTED_REGIONS:
        guess = "; the United Kingdom is GB" if region == "UK" else ""
        raise click.UsageError(f"--region: expected two letters of a country, such as DE or US, got {text!r}{guess}")
    return region


def phone_number(text: str, region: str | None) -> str:
    """E.164, as contacts are stored. Raises ValueError with the reason."""
    try:
        number = phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException:
        number = None
    if number is None or not phonenumbers.is_possible_number(number):
        advice = "" if text.strip().startswith("+") or region else "; write it with its country, +49…, or give --region"
        raise ValueError(f"{text!r} is no telephone number{advice}")
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def suppressible(text: str, region: str | None = None) -> Suppressible:
    """Guess the kind from the looks. Raises ValueError with the reason."""
    value = text.strip()
    at = _EVERYBODY_AT.match(value)
    if "@" in value and not at:
        return Suppressible("email", email_address(value))
    if _LIKE_A_NUMBER.fullmatch(value) and any(letter.isdigit() for letter in value):
        return Suppressible("phone", phone_number(value, region))
    url = website_url(value[at.end() :] if at else value)
    domain = registrable_domain(url.host) if url else None
    if domain is None:
        raise ValueError(f"{value!r} is no e-mail address, no telephone number and no domain")
    return Suppressible("domain", domain)
