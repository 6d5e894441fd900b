"""What a person types for an e-mail address or a domain, in the one form that is stored."""

from email_validator import EmailNotValidError, validate_email

from actors.parse.domains import website_domain


def email_address(text: str) -> str:
    """Lower case, host in ASCII, as contacts are stored. Raises ValueError with the reason."""
    try:
        address = text.strip().removeprefix("mailto:")
        checked = validate_email(address, check_deliverability=False, allow_display_name=True)
    except EmailNotValidError as error:
        raise ValueError(f"{text!r} is no e-mail address: {error}") from None
    return f"{checked.local_part}@{checked.ascii_domain}".lower()


def domain_name(text: str) -> str:
    """The domain that is meant by an address in any spelling."""
    return website_domain(text).domain or text.strip().lower()
