"""Atomics whose order does not show."""

from __future__ import annotations

from collections.abc import Iterable

from .ssa import Op, Ssa, Value, operands_of

_KINDS = {
    "add": "sum",
    "sub": "sum",
    "min": "min",
    "max": "max",
    "and": "and",
    "or": "or",
    "xor": "xor",
}
"""Operation -> what it has in common with those that it commutes with."""


def commute(atomics: Iterable[Op], ssa: Ssa) -> bool:
    """Return whether no order of some atomics shows: they are of one kind, no result is used."""
    found = set(atomics)
    if not found:
        return True
    kinds = set()
    for op in found:
        stem = op.ins.row.stem.removeprefix("atomic_")
        type_ = op.element
        signed = type_.is_signed if stem in ("min", "max") else False
        kinds.add((_KINDS.get(stem), type_.size, signed))
    if any(kind is None for kind, _, _ in kinds) or len(kinds) > 1:
        return False
    used: set[Value] = set(ssa.conditions.values())
    for value in ssa.values():
        used.update(operands_of(value))
    return not used & found
