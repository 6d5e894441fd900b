"""Where an export goes: standard output, or a file that appears only when it is whole."""

import os
import secrets
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
    final = _place(path)
    check_free(final, force=force)
    try:
        if _is_special(final):
            yield final
            return
        # A name that nobody can guess, and put something at before.
        partial = final.with_name(f".{secrets.token_hex(16)}.partial")
        try:
            partial.touch(mode=0o600, exist_ok=False)
            yield partial
            _put_in_place(partial, final, force=force)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror or error}") from None


def _place(path: Path) -> Path:
    """The file itself: a link that stands there is not followed, but replaced."""
    return path.parent.resolve() / path.name if path.name not in {"", ".."} else path.resolve()


def _put_in_place(partial: Path, final: Path, *, force: bool | None) -> None:
    """A file that appeared there meanwhile is replaced only by someone who said so."""
    if force:
        partial.replace(final)
        return
    try:
        os.link(partial, final, follow_symlinks=False)
    except FileExistsError:
        raise click.UsageError(f"{final} exists now; nothing was written") from None
    except OSError:  # a file system without links
        check_free(final, force=force)
        partial.replace(final)


def check_free(path: Path, *, force: bool | None = None) -> None:
    """Nothing is there, or it may be replaced; None where nothing ever is."""
    if path.parts[1:2] in {("dev",), ("proc",)} and path.is_symlink():
        raise click.UsageError(f"{path} is a link of the system; name a file, or - for standard output")
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
    if _is_special(path) and path.stat().st_uid not in {0, os.geteuid()}:
        raise click.UsageError(f"{path} is a device or a pipe of another user, who could read the file; name a file")
    if (path.exists() or path.is_symlink()) and not force and not _is_special(path):
        advice = "name another file" if force is None else "say --force to replace it"
        raise click.UsageError(f"{path} exists; {advice}")


def _is_special(path: Path) -> bool:
    """Such as /dev/null or a pipe: nothing that could be renamed into place."""
    return path.exists() and not stat.S_ISREG(path.stat().st_mode)
