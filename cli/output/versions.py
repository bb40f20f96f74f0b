"""Versions of simtlab and its libraries, read without importing them where possible."""

from __future__ import annotations

import platform
from importlib import metadata

LIBRARIES = ("numpy", "typer", "rich", "llvmlite")


def version_of(package: str) -> str | None:
    """Return the installed version of a package, or None."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def llvm_version() -> str | None:
    """Return the version of LLVM that llvmlite brings, or None where it cannot be loaded."""
    try:
        from llvmlite.binding import llvm_version_info
    except (ImportError, OSError):
        return None
    return ".".join(map(str, llvm_version_info))


def versions() -> dict[str, str | None]:
    """Return the versions by name, None for a package that is not installed."""
    from ...isa.version import __version__

    return {
        "simtlab": __version__,
        "python": platform.python_version(),
        **{name: version_of(name) for name in LIBRARIES},
        "LLVM": llvm_version(),
    }


def version_lines() -> list[str]:
    """Return the lines of --version: simtlab first, then the libraries."""
    found = versions()
    rest = ", ".join(f"{n} {v or 'missing'}" for n, v in found.items() if n != "simtlab")
    return [f"simtlab {found['simtlab']}", f"({rest})"]
