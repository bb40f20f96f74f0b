"""Compiled objects on disk, so that the second run of a kernel does not compile it.

A cache is a convenience: whatever goes wrong with its folder (cachefolder.py) costs time and
nothing else. An entry is a file named by the hash of everything the code depends on; it is written
under another name and moved into place whole, so that processes may read and write at once without
a lock, and it carries a checksum, since damaged machine code would be executed.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress

from ...cachefolder import VARIABLE as FOLDER_VARIABLE
from ...cachefolder import Folder, noticed, opened

__all__ = ["FOLDER_VARIABLE", "load", "store"]

FOLDER = "jit"
"""The folder of the objects in the cache folder."""

_MAGIC = b"simtlab object 1\n"
_SUFFIX = ".obj"
_DAY = 24 * 3600.0
_UNUSED_DAYS = 60
_SWEEP_DAYS = 7
_STAMP = "swept"


def load(key: str) -> bytes | None:
    """Return the object of a key, or None if the cache has none that can be trusted."""
    name = key + _SUFFIX
    with noticed(), opened(FOLDER) as folder:
        found = folder and folder.read(name)
        if not folder or not found:
            return None
        data, changed = found
        start = len(_MAGIC) + hashlib.sha256().digest_size
        payload = data[start:]
        if data[:start] != _MAGIC + hashlib.sha256(payload).digest():
            return None
        if time.time() - changed > _DAY:
            # The time of the file says when it was last of use; a day's precision is plenty.
            with suppress(OSError):
                folder.touch(name)
        return payload
    return None


def store(key: str, payload: bytes) -> None:
    """Keep the object of a key, if the folder allows."""
    with noticed(), opened(FOLDER) as folder:
        if folder:
            folder.write(key + _SUFFIX, _MAGIC, hashlib.sha256(payload).digest(), payload)
            _sweep_sometimes(folder)


def _sweep_sometimes(folder: Folder) -> None:
    """Remove, once a week, what was not used for long and what broken writers left."""
    now = time.time()
    swept = folder.changed(_STAMP)
    if swept is not None and now - swept < _SWEEP_DAYS * _DAY:
        return
    folder.touch(_STAMP)
    for name in folder.names():
        limit = {_SUFFIX: _UNUSED_DAYS, ".tmp": 1}.get(os.path.splitext(name)[1])
        changed = folder.changed(name)
        # Another process may sweep too: a file that is gone is not a concern.
        if limit is not None and changed is not None and now - changed > limit * _DAY:
            with suppress(OSError):
                folder.remove(name)
