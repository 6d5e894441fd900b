"""Where an export goes: standard output, or a file that appears only when it is whole."""

import os
import signal
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

TERMINATED = 128 + signal.SIGTERM


@contextmanager
def standard_output() -> Iterator[IO[bytes]]:
    """A reader who has seen enough, such as `head`, is no error."""
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except OSError as error:
        # What is left in the buffer would be written, and fail again, when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise click.ClickException(f"standard output: {error.strerror or error}") from None


@contextmanager
def tidy_when_terminated() -> Iterator[None]:
    """Half a file is removed when the process is asked to end, too."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def new_file(path: Path, *, force: bool | None = None) -> Iterator[Path]:
    """A path to write to, which becomes the file's own when all is written; whatever goes wrong, nothing is left."""
    final = path.resolve()
    check_free(final, force=force)
    special = _is_special(final)
    partial = final if special else final.with_name(f".{os.getpid()}.partial")
    try:
        try:
            partial.touch()
            yield partial
            partial.replace(final)
        finally:
            if not special:
                partial.unlink(missing_ok=True)
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror or error}") from None


def check_free(path: Path, *, force: bool | None = None) -> None:
    """Nothing is there, or it may be replaced; None where nothing ever is."""
    try:
        path.stat()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from None
    if path.is_dir():
        raise click.UsageError(f"{path} is a directory; name a file in it")
    if not path.parent.is_dir():
        raise click.UsageError(f"{path}: there is no directory {path.parent}")
    if force is None and _is_special(path):
        raise click.UsageError(f"{path} is a device or a pipe; name a file")
    if path.exists() and not force and not _is_special(path):
        advice = "name another file" if force is None else "say --force to replace it"
        raise click.UsageError(f"{path} exists; {advice}")


def _is_special(path: Path) -> bool:
    """Such as /dev/null or a pipe: nothing that could be renamed into place."""
    return path.exists() and not stat.S_ISREG(path.stat().st_mode)
