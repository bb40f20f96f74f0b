"""Compiled objects on disk, so that the second run of a kernel does not compile it.

A cache is a convenience: whatever goes wrong with its folder costs time and nothing else. An
entry is a file named by the hash of everything the code depends on; it is written under another
name and moved into place whole, so that processes may read and write at once without a lock, and
it carries a checksum, since damaged machine code would be executed.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

FOLDER_VARIABLE = "SIMTLAB_CACHE"
"""Environment variable: another folder for the cache."""

_MAGIC = b"simtlab object 1\n"
_SUFFIX = ".obj"
_DAY = 24 * 3600.0
_UNUSED_DAYS = 60
_SWEEP_DAYS = 7
_STAMP = "swept"


def folder() -> Path:
    """Where the compiled objects are."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return (Path(chosen) if chosen else user_cache_path("simtlab")) / "jit"


def load(key: str) -> bytes | None:
    """The object of a key, or None where there is none, or none that can be trusted."""
    path = folder() / (key + _SUFFIX)
    try:
        data = path.read_bytes()
        seen = path.stat().st_mtime
    except OSError:
        return None
    start = len(_MAGIC) + hashlib.sha256().digest_size
    payload = data[start:]
    if data[:start] != _MAGIC + hashlib.sha256(payload).digest():
        return None
    if time.time() - seen > _DAY:
        # The time of the file says when it was last of use; a day's precision is plenty.
        with suppress(OSError):
            os.utime(path)
    return payload


def store(key: str, payload: bytes) -> None:
    """Keep the object of a key, if the folder allows."""
    place = folder()
    with suppress(OSError):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix="new-", suffix=".tmp", dir=place)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + hashlib.sha256(payload).digest() + payload)
            os.replace(name, place / (key + _SUFFIX))
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
        _sweep_sometimes(place)


def _sweep_sometimes(place: Path) -> None:
    """Once a week, remove what nobody used for long, and what broken writers left."""
    stamp = place / _STAMP
    now = time.time()
    with suppress(FileNotFoundError):
        if now - stamp.stat().st_mtime < _SWEEP_DAYS * _DAY:
            return
    stamp.touch()
    for path in place.iterdir():
        limit = {_SUFFIX: _UNUSED_DAYS, ".tmp": 1}.get(path.suffix)
        # Another process may sweep too: a file that is gone is no concern.
        with suppress(OSError):
            if limit is not None and now - path.stat().st_mtime > limit * _DAY:
                path.unlink()
