"""The running processes."""

from importlib.metadata import version

VERSION = version("scrapersky")
