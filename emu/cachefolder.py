"""The user's cache folder: where it is, and whether its files are the user's own.

Native code is loaded from there and run, so that anyone who can write there runs code as the user.
A folder or a file that belongs to another user, or that others can write, is refused: simtlab says
so once and works without a cache, which costs time and nothing else. The checks apply to the opened
file, not to a path that may lead elsewhere a moment later, and the last two names of the path are
not followed where they are symbolic links.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from ..isa.errors import UsageError

VARIABLE = "SIMTLAB_CACHE"
"""Environment variable: another folder for the cache, or the null device for none."""

_OPENS_FOLDERS = os.open in os.supports_dir_fd
"""Whether files are opened relative to an open folder. Windows cannot do that, and has no owners
and modes in Python's sense: there a user's folder is private by its access-control list."""

_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINKS
_FILE = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | _NO_LINKS
"""Not blocking: opening a pipe in a file's place would wait for its other end."""


class Refused(Exception):
    """Why there is no cache."""


def shown() -> Path | None:
    """Return where the cache folder would be, for display; None without one."""
    try:
        return location()
    except (Refused, UsageError):
        return None


def location() -> Path | None:
    """Return where the cache folder is; None where the user wants none.

    Raises UsageError for a relative SIMTLAB_CACHE, and Refused without a home.
    """
    if chosen := os.environ.get(VARIABLE):
        if chosen == os.devnull:
            return None
        if not os.path.isabs(chosen):
            raise UsageError(
                f"{VARIABLE} is {chosen!r}: expected an absolute path, so that no other folder is "
                "used after a change of the working folder",
                code="SIM521",
                hint=f"{VARIABLE}={os.devnull} works without a cache",
            )
        return Path(chosen)
    try:
        # A relative XDG_CACHE_HOME is ignored, as its rules say; not every platformdirs does that.
        found = user_cache_path("simtlab")
        if not found.is_absolute():
            found = Path.home() / ".cache" / "simtlab"
    except RuntimeError:
        raise Refused("the home folder, which would hold the cache, is unknown") from None
    if not found.is_absolute():
        raise Refused(f"the home folder {str(Path.home())!r} is not an absolute path")
    return found


@dataclass(frozen=True)
class Folder:
    """A folder of the user's own, open."""

    path: Path
    _number: int | None

    def read(self, name: str) -> tuple[bytes, float] | None:
        """Return the content of a file and the time of its last change; None where there is none.

        Raises OSError, and Refused for a file that is not the user's own.
        """
        try:
            number = self._open(name, os.O_RDONLY)
        except FileNotFoundError:
            return None
        with os.fdopen(number, "rb") as file:
            found = os.fstat(number)
            if not stat.S_ISREG(found.st_mode):
                raise Refused(f"{self.path / name} is not a file")
            _check_owner(found, self.path / name)
            return file.read(), found.st_mtime

    def write(self, name: str, *parts: bytes) -> None:
        """Put a file in place, whole or not at all. Raises OSError."""
        new = f"new-{secrets.token_hex(8)}.tmp"
        number = self._open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            with os.fdopen(number, "wb") as file:
                file.writelines(parts)
            os.replace(
                self._at(new), self._at(name), src_dir_fd=self._number, dst_dir_fd=self._number
            )
        except BaseException:
            with suppress(OSError):
                self.remove(new)
            raise

    def names(self) -> list[str]:
        """Return the names of the files in the folder."""
        return os.listdir(self.path if self._number is None else self._number)

    def changed(self, name: str) -> float | None:
        """Return the time of a file's last change; None where there is none."""
        try:
            return os.stat(self._at(name), dir_fd=self._number, follow_symlinks=False).st_mtime
        except FileNotFoundError:
            return None

    def touch(self, name: str) -> None:
        """Set the time of a file's last change to now; create the file if missing."""
        number = self._open(name, os.O_WRONLY | os.O_CREAT)
        with os.fdopen(number, "wb"):
            os.utime(number if os.utime in os.supports_fd else self._at(name))

    def remove(self, name: str) -> None:
        """Remove a file. Raises OSError."""
        os.unlink(self._at(name), dir_fd=self._number)

    def _open(self, name: str, flags: int) -> int:
        return os.open(self._at(name), flags | _FILE, 0o600, dir_fd=self._number)

    def _at(self, name: str) -> str:
        return str(self.path / name) if self._number is None else name


@contextmanager
def opened(inner: str) -> Iterator[Folder | None]:
    """Open a folder in the cache folder, and create it if missing; None if the user wants none.

    Raises OSError, UsageError, and Refused where one of the two is not the user's own.
    """
    place = location()
    if place is None:
        yield None
    elif not _OPENS_FOLDERS:
        (place / inner).mkdir(parents=True, exist_ok=True)
        yield Folder(place / inner, None)
    else:
        _make(place)
        outer = _open_folder(str(place), None, place)
        try:
            with suppress(FileExistsError):
                os.mkdir(inner, 0o700, dir_fd=outer)
            number = _open_folder(inner, outer, place / inner)
        finally:
            os.close(outer)
        try:
            yield Folder(place / inner, number)
        finally:
            os.close(number)


@contextmanager
def noticed() -> Iterator[None]:
    """Say once on stderr why there is no cache, and continue without one."""
    try:
        yield
    except Refused as refused:
        _say(str(refused))
    except OSError as error:
        _say(f"the cache folder cannot be used: {_reason(error)}")


def problem(inner: str) -> str:
    """Return why the cache folder has no such folder, for `doctor`; "" where it has."""
    try:
        with opened(inner) as folder:
            if folder is None:
                return f"{VARIABLE} asks for none"
            if not os.access(folder.path, os.W_OK | os.X_OK):
                return f"{folder.path} cannot be written"
    except UsageError as error:
        return error.first.message
    except Refused as refused:
        return str(refused)
    except OSError as error:
        return _reason(error)
    return ""


def _make(place: Path) -> None:
    """Make a folder and its parents, for the user alone."""
    try:
        os.mkdir(place, 0o700)
    except FileExistsError:
        pass
    except FileNotFoundError:
        _make(place.parent)
        os.mkdir(place, 0o700)


def _open_folder(name: str, within: int | None, path: Path) -> int:
    """Open a folder that is the user's own."""
    try:
        number = os.open(name, _FOLDER, dir_fd=within)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR):
            raise
        if path.is_symlink():
            hint = f"{VARIABLE} can name the folder that it leads to"
            raise Refused(f"{path} is a symbolic link; {hint}") from None
        raise Refused(f"{path} is not a folder") from None
    try:
        _check_owner(os.fstat(number), path)
    except Refused:
        os.close(number)
        raise
    return number


def _check_owner(found: os.stat_result, path: Path) -> None:
    """Refuse a file that belongs to another user, or that others can write."""
    if not hasattr(os, "geteuid"):
        return
    if found.st_uid != os.geteuid():
        raise Refused(f"{path} belongs to another user (number {found.st_uid})")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise Refused(f"other users can write {path}; expected a folder and files of your own")


def _reason(error: OSError) -> str:
    place = f" ({error.filename})" if error.filename else ""
    return f"{(error.strerror or str(error)).lower()}{place}"


_said: set[str] = set()
"""The notice, once it was printed."""


def _say(reason: str) -> None:
    if not _said and sys.stderr is not None:
        _said.add(reason)
        with suppress(OSError, ValueError):  # closed, or full
            sys.stderr.write(f"notice: {reason}; compiled code is not kept\n")
