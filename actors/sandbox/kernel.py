"""Linux' own fences, through ctypes: no new privileges, landlock, seccomp. Each says whether the kernel offers it."""

import ctypes
import os
import platform
import signal
import struct
import sys
from functools import cache
from typing import Final

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SECCOMP_MODE_FILTER = 2

# Of all that a kernel offers, what is needed to read from one socket, to compute, and to end.
_X86_64: Final = {
    "read": 0, "write": 1, "close": 3, "fstat": 5, "poll": 7, "lseek": 8, "munmap": 11, "brk": 12, "rt_sigaction": 13,
    "rt_sigprocmask": 14, "rt_sigreturn": 15, "sched_yield": 24, "mremap": 25, "madvise": 28, "nanosleep": 35,
    "setitimer": 38, "getpid": 39, "sendto": 44, "recvfrom": 45, "exit": 60, "gettimeofday": 96, "getrusage": 98,
    "sysinfo": 99, "sigaltstack": 131, "gettid": 186, "futex": 202, "restart_syscall": 219, "clock_gettime": 228,
    "clock_nanosleep": 230, "exit_group": 231, "getrandom": 318, "membarrier": 324, "rseq": 334,
}  # fmt: skip
_AARCH64: Final = {
    "read": 63, "write": 64, "close": 57, "fstat": 80, "ppoll": 73, "lseek": 62, "munmap": 215, "brk": 214,
    "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139, "sched_yield": 124, "mremap": 216, "madvise": 233,
    "nanosleep": 101, "setitimer": 103, "getpid": 172, "sendto": 206, "recvfrom": 207, "exit": 93, "gettimeofday": 169,
    "getrusage": 165, "sysinfo": 179, "sigaltstack": 132, "gettid": 178, "futex": 98, "restart_syscall": 128,
    "clock_gettime": 113, "clock_nanosleep": 115, "exit_group": 94, "getrandom": 278, "membarrier": 283, "rseq": 293,
}  # fmt: skip
# By machine: the kernel's name for it, what is allowed, and mmap and mprotect, which may make no memory executable.
_MACHINES: Final = {
    "x86_64": (0xC000003E, _X86_64, (9, 10)),
    "aarch64": (0xC00000B7, _AARCH64, (222, 226)),
}
_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_SET, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001  # EPERM
_NUMBER, _ARCHITECTURE, _PROTECTION = 0, 4, 32  # where they stand in seccomp_data; the third argument is protection
_PROT_EXEC = 4

_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446
# Rights of files, of the network, and scopes, by the version of landlock that brought them.
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_NETWORK_SINCE, _SCOPES_SINCE = 4, 6


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, value: int, pointer: object = 0) -> bool:
    if sys.platform != "linux":
        return False
    return bool(_library().prctl(option, ctypes.c_ulong(value), pointer, ctypes.c_ulong(0), ctypes.c_ulong(0)) == 0)


def no_new_privileges() -> bool:
    return _prctl(_PR_SET_NO_NEW_PRIVS, 1, ctypes.c_ulong(0))


def not_to_be_looked_into() -> bool:
    """No other process of the same user reads our memory or traces us."""
    return _prctl(_PR_SET_DUMPABLE, 0, ctypes.c_ulong(0))


def die_with_parent() -> bool:
    return _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, ctypes.c_ulong(0))


def forbid_files() -> bool:
    """Landlock without a single rule: no file, no port, no signal to the outside. Needs no_new_privileges."""
    if sys.platform != "linux":
        return False
    call = _library().syscall
    version = call(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    files = (1 << _FILE_RIGHTS[min(version, max(_FILE_RIGHTS))]) - 1
    rights = [files, 3 if version >= _NETWORK_SINCE else 0, 3 if version >= _SCOPES_SINCE else 0]
    known = 1 if version < _NETWORK_SINCE else 2 if version < _SCOPES_SINCE else 3
    attributes = struct.pack(f"={known}Q", *rights[:known])
    rules = call(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        return False
    is_restricted = bool(call(_LANDLOCK_RESTRICT, rules, 0) == 0)
    os.close(rules)
    return is_restricted


def forbid_system_calls() -> bool:
    """Seccomp: what is not on the list is refused with EPERM. Needs no_new_privileges."""
    program = _filter()
    if program is None:
        return False
    instructions = ctypes.create_string_buffer(program)
    # struct sock_fprog: the number of instructions, and where they are.
    described = struct.pack("@HP", len(program) // 8, ctypes.addressof(instructions))
    return _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.create_string_buffer(described))


@cache
def _filter() -> bytes | None:
    """The program, as classic BPF; None for a machine whose numbers are not known."""
    if sys.platform != "linux" or platform.machine() not in _MACHINES:
        return None
    architecture, allowed, mapping = _MACHINES[platform.machine()]
    steps = [(_LOAD, 0, 0, _ARCHITECTURE), (_JUMP_IF_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _REFUSE)]
    steps += [(_LOAD, 0, 0, _NUMBER)]
    for number in allowed.values():
        steps += [(_JUMP_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    first, second = mapping
    steps += [(_JUMP_IF_EQUAL, 1, 0, first), (_JUMP_IF_EQUAL, 0, 2, second), (_LOAD, 0, 0, _PROTECTION)]
    steps += [(_JUMP_IF_SET, 0, 1, _PROT_EXEC), (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
