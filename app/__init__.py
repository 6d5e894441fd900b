"""The running processes."""

import os
from importlib.machinery import PathFinder

SIBLINGS = ("actors", "db")


def __getattr__(name: str) -> str:
    """VERSION is looked up when it is asked for: that takes longer than a person needs to press Ctrl-C."""
    if name != "VERSION":
        raise AttributeError(f"module 'app' has no attribute {name!r}")
    from importlib.metadata import version  # noqa: PLC0415 - see above

    return version("scrapersky")


def _check_siblings() -> None:
    """`dramatiq app.worker` looks for modules in the working directory first, and a `db` there would not be ours."""
    ours = os.path.realpath(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120 - pathlib is large
    for name in SIBLINGS:
        found = PathFinder.find_spec(name)
        place = os.path.realpath(found.origin or "") if found else "nowhere"
        if not place.startswith(os.path.join(ours, name)):  # noqa: PTH118 - see above
            raise ImportError(
                f"the package {name} of ScraperSky is in {ours}, but Python would import {place}: "
                "start in another directory, and name none in PYTHONPATH that has a module of this name"
            )


_check_siblings()
