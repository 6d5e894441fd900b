"""The fork server: a process that has everything loaded and nothing open, and forks a parser process on request.

Its worker holds the other end of its control socket: a byte with two sockets asks for a parser process, and when the
worker is gone, however it went, the server ends and with it all that it forked. One socket is the parser's documents,
the other its lifeline: closed by the worker, it means that the parser is to die; when the parser has died, the server
writes there how. So no process id is ever taken for another's, and no answer for another's.
"""

import os
import selectors
import signal
import socket
from contextlib import suppress
from typing import NoReturn

from actors.sandbox.child import run
from actors.sandbox.frames import STATUS
from actors.sandbox.kernel import die_with_parent
from actors.sandbox.limits import Limits
from actors.sandbox.lockdown import lock_down_server
from actors.sandbox.preload import preload


class Server:
    def __init__(self, control: socket.socket, limits: Limits) -> None:
        self._control = control
        self._limits = limits
        self._lifelines: dict[int, socket.socket] = {}
        self._missing: list[str] = []
        self._selector = selectors.SelectSelector()
        self._selector.register(control, selectors.EVENT_READ)

    def run(self) -> None:
        """Until the worker is gone."""
        preload()
        self._missing = lock_down_server()
        woken, waker = socket.socketpair()
        for end in (woken, waker):
            end.setblocking(False)
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(woken, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._control:
                    if not self._fork():
                        return
                elif key.fileobj is woken:
                    with suppress(BlockingIOError):
                        woken.recv(1024)
                    self._reap()
                elif self._lifelines.get(key.data) is key.fileobj:
                    self._kill(key.data)

    def _fork(self) -> bool:
        asked, descriptors, _, _ = socket.recv_fds(self._control, 1, 2)
        if not asked:
            return False
        documents, lifeline = (socket.socket(fileno=descriptor) for descriptor in descriptors)
        server = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._become_parser(server, documents)
        documents.close()
        self._lifelines[pid] = lifeline
        self._selector.register(lifeline, selectors.EVENT_READ, pid)
        return True

    def _become_parser(self, server: int, documents: socket.socket) -> NoReturn:
        try:
            signal.set_wakeup_fd(-1)
            # First the order to die with the server, then the look whether it died before that.
            die_with_parent()
            if os.getppid() == server:
                run(documents, self._limits, self._missing)
        finally:
            os._exit(1)

    def _kill(self, pid: int) -> None:
        self._selector.unregister(self._lifelines[pid])
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def _reap(self) -> None:
        while self._lifelines:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            lifeline = self._lifelines.pop(pid)
            with suppress(KeyError):
                self._selector.unregister(lifeline)
            with suppress(OSError), lifeline:
                lifeline.send(STATUS.pack(status))

    def end(self) -> None:
        for pid in self._lifelines:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
