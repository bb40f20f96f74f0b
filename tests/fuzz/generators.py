"""The generators by name. A module is imported in the child that needs it."""

from __future__ import annotations

from importlib import import_module

from .example import Generator

NAMES = (
    "kernels", "tiles", "grids", "flats", "loops", "refills", "groups", "pressure", "records",
    "views", "stacks", "arrays", "narrow", "counts", "policies", "sources", "objects", "wild",
    "misuse", "kills", "caches", "extremes", "guarded", "lanes", "places",
)  # fmt: skip


def find(name: str) -> Generator:
    """The generator of this name, which its module has as GENERATOR."""
    try:
        return import_module(f".{name}", __package__).GENERATOR
    except (ModuleNotFoundError, AttributeError):
        known = ", ".join(NAMES)
        raise SystemExit(f"unknown generator {name!r}; there are {known}") from None
