"""The running processes."""


def __getattr__(name: str) -> str:
    """VERSION is looked up when it is asked for: that takes longer than a person needs to press Ctrl-C."""
    if name != "VERSION":
        raise AttributeError(f"module 'app' has no attribute {name!r}")
    from importlib.metadata import version  # noqa: PLC0415 - see above

    return version("scrapersky")
