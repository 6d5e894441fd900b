"""Tries to break out of a parser process, and prints which ways are open. Run by test_sandbox_walls.py.

python -I sandbox_probe.py ROOT locked|open UID: with everything loaded, becomes the user, locks itself in as the fork
server and its parser processes do (or not at all), and tries each way out in a process of its own.
"""

import ctypes
import json
import mmap
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from actors.sandbox.limits import Limits
from actors.sandbox.lockdown import lock_down_parser, lock_down_server

LIBRARY = ctypes.CDLL(None, use_errno=True)
SECRET = ctypes.create_string_buffer(b"the parent's secret")
PARENT = os.getpid()


class Iovec(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def read_file() -> None:
    os.close(os.open("/etc/hostname", os.O_RDONLY))


def write_file() -> None:
    os.close(os.open(f"/tmp/sandbox-probe-{os.getpid()}", os.O_WRONLY | os.O_CREAT))  # noqa: S108 - it must fail
    os.unlink(f"/tmp/sandbox-probe-{os.getpid()}")  # noqa: S108, PTH108


def list_directory() -> None:
    os.listdir("/")  # noqa: PTH208


def open_socket() -> None:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()


def open_local_socket() -> None:
    socket.socketpair()[0].close()


def fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def execute() -> None:
    subprocess.run(["/bin/true"], check=True)


def read_environment() -> None:
    Path("/proc/self/environ").read_bytes()


def read_environment_of_parent() -> None:
    Path(f"/proc/{PARENT}/environ").read_bytes()


def read_memory_of_parent() -> None:
    found = ctypes.create_string_buffer(len(SECRET))
    ours = Iovec(ctypes.addressof(found), len(SECRET))
    theirs = Iovec(ctypes.addressof(SECRET), len(SECRET))
    if LIBRARY.process_vm_readv(PARENT, ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0) != len(SECRET):
        raise OSError(ctypes.get_errno(), "process_vm_readv")


def trace_parent() -> None:
    if LIBRARY.ptrace(16, PARENT, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    os.waitpid(PARENT, 0x40000000)
    LIBRARY.ptrace(17, PARENT, 0, 0)


def signal_parent() -> None:
    os.kill(PARENT, 0)


def make_code() -> None:
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()


def raise_own_limits() -> None:
    import resource  # noqa: PLC0415 - loaded already by the lockdown

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def become_root() -> None:
    os.setresuid(0, 0, 0)


WAYS = (
    read_file,
    write_file,
    list_directory,
    open_socket,
    open_local_socket,
    fork,
    execute,
    read_environment,
    read_environment_of_parent,
    read_memory_of_parent,
    trace_parent,
    signal_parent,
    make_code,
    raise_own_limits,
    become_root,
)


def tried(way: Callable[[], None], *, locked: bool) -> str:
    """What came of one way out, in a process of its own, as the fork server makes them."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        if locked:
            missing = lock_down_parser(theirs.detach(), Limits())
            report = 3
        else:
            missing, report = [], theirs.fileno()
        try:
            way()
            said = "open"
        except BaseException as error:  # noqa: BLE001 - any failure keeps the way shut
            said = f"shut: {type(error).__name__}"
        os.write(report, json.dumps([said, missing]).encode())
        os._exit(0)
    theirs.close()
    said = ours.recv(10_000)
    os.waitpid(pid, 0)
    return json.loads(said)[0] if said else "died"


def main() -> None:
    locked, user = sys.argv[2] == "locked", int(sys.argv[3])
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if user != os.getuid():
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        LIBRARY.prctl(4, 1, 0, 0, 0)  # may be looked into again, as a process that started as this user
    missing = lock_down_server() if locked else []
    outcome = {way.__name__: tried(way, locked=locked) for way in WAYS}
    sys.stdout.write(json.dumps({"user": os.getuid(), "missing": missing, "ways": outcome}))


main()
