"""The worker's side of the fork server and of a parser process: start them, and know how they ended."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Final

import actors
from actors.sandbox import frames
from actors.sandbox.limits import Limits

# Isolated: nothing is imported from the working directory, and no PYTHON* variable is read.
_BOOT: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); from actors.sandbox.server import main; main(*sys.argv[2:])"
)
_KEPT_VARIABLES: Final = ("LD_LIBRARY_PATH",)  # some interpreters do not start without it
_START_SECONDS: Final = 60.0
_END_SECONDS: Final = 10.0
_MOST_SAID: Final = 10_000


class SandboxError(Exception):
    """There is no parser process to be had."""


class Parser:
    """A parser process, as its worker sees it."""

    def __init__(self, documents: socket.socket, lifeline: socket.socket) -> None:
        self.connection = documents
        self.documents = 0
        self.missing: list[str] = []
        self._lifeline = lifeline

    def greet(self) -> None:
        """Wait until it has locked itself in."""
        try:
            _, said = frames.receive(self.connection, _MOST_SAID, monotonic() + _START_SECONDS)
        except (frames.BrokenFrame, frames.OutOfTurn, OSError) as error:
            status = self.end()
            raise SandboxError(f"a parser process did not start ({described(status)}): {error}") from error
        except BaseException:  # the row was stopped: the fork server ends what it forks for a closed lifeline
            self.connection.close()
            self._lifeline.close()
            raise
        self.missing = json.loads(said)

    def end(self) -> int | None:
        """Kill it, unless it is dead already; how it ended, as os.wait tells. None: the fork server is gone as well."""
        self.connection.close()
        with suppress(OSError, frames.BrokenFrame), self._lifeline as lifeline:
            lifeline.shutdown(socket.SHUT_WR)
            said = frames.receive_exactly(lifeline, frames.STATUS.size, monotonic() + _END_SECONDS)
            return int(frames.STATUS.unpack(said)[0])
        return None


def described(status: int | None) -> str:
    if status is None:
        return "its fork server is gone"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        # Of the real-time signals only the first and the last have a name.
        return signal.Signals(number).name if number in {*signal.Signals} else f"signal {number}"
    return f"exit code {os.waitstatus_to_exitcode(status)}"


class ForkServer:
    """Started at once and nearly empty; it loads the parsers and gives up its rights when the first one is wanted."""

    def __init__(self, limits: Limits) -> None:
        self._control, theirs = socket.socketpair()
        quiet = ["-B"] if sys.dont_write_bytecode else []
        root, descriptor = str(Path(actors.__file__ or "").parents[1]), str(theirs.fileno())
        kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        command = [sys.executable, "-I", *quiet, "-c", _BOOT, root, descriptor, json.dumps(asdict(limits))]
        try:
            with theirs:
                self._process = subprocess.Popen(  # noqa: S603 - our own module
                    command,
                    env={"LANG": "C.UTF-8", **kept},
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
        except OSError as error:
            self._control.close()
            raise SandboxError(f"the fork server can not be started: {error}") from error

    @property
    def pid(self) -> int:
        return self._process.pid

    def fork(self) -> Parser:
        """A new parser process, locked in and ready."""
        documents, its_documents = socket.socketpair()
        lifeline, its_lifeline = socket.socketpair()
        parser = Parser(documents, lifeline)
        try:
            with its_documents, its_lifeline:
                socket.send_fds(self._control, [b"f"], [its_documents.fileno(), its_lifeline.fileno()])
        except OSError as error:
            parser.end()
            raise SandboxError(f"the fork server is gone: {error}") from error
        parser.greet()
        return parser

    def close(self) -> None:
        """It ends by itself when nobody holds its control socket; it may belong to another user by now."""
        self._control.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
