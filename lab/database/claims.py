"""Claims: which process is about to simulate which run.

A claim holds for `LEASE` seconds and is renewed meanwhile. That of a process that has died on this
host is free at once, that of another host when the claim expires.
"""

from __future__ import annotations

import os
import platform
import secrets
from pathlib import Path

LEASE = 60.0
"""Seconds that a claim holds unless renewed."""


def new_owner() -> str:
    """Return a name for this process as an owner of claims."""
    pid = os.getpid()
    return "/".join((_place(), str(pid), _started(pid), secrets.token_hex(4)))


def has_died(owner: str) -> bool:
    """Return whether an owner was a process of this host that is gone; False if not known."""
    place, _, rest = owner.partition("/")
    pid, _, rest = rest.partition("/")
    started = rest.partition("/")[0]
    if place != _place() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:  # it belongs to another user
        return False
    return _started(int(pid)) != started


def _place() -> str:
    """Return the host, and what its numbers of processes mean: a container has its own."""
    try:
        numbers = os.readlink("/proc/self/ns/pid")
    except OSError:
        numbers = ""
    return f"{platform.node()} {numbers}".replace("/", "_")


def _started(pid: int) -> str:
    """Return when a process was started, so that a reused process number does not match."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    return status.rpartition(")")[2].split()[19]
