"""The pointer parameters from which addresses are counted, into whose buffers they point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from ......isa.program import Param
from .....analysis.values.ssa import Op, Phi, Ssa, Value
from .forms import Form

_SEVERAL = -1
"""In place of a position: more than one pointer parameter."""


class Pointers:
    """The pointer parameters of a kernel, and the values that may be counted from them."""

    def __init__(self, ssa: Ssa, params: Sequence[Param]) -> None:
        self._ssa = ssa
        self._params = params

    def position(self, address: Value, form: Form | None) -> int | None:
        """Return the position of the parameter into whose buffer an address points, if known."""
        position = self._sources.get(address)
        if form is not None:
            # A pointer parameter may be anywhere in a sum; the other terms are distances.
            found = (self._sources.get(v) for v, factor in form.uniform if factor == 1)
            position = next((p for p in found if p is not None and p != _SEVERAL), position)
        return None if position == _SEVERAL else position

    def is_param(self, address: Value) -> bool:
        """Return whether an address is a pointer parameter as it was given."""
        return self.param_at(address) is not None

    @cached_property
    def _sources(self) -> dict[Value, int]:
        """The pointer parameter from which a value may be counted, by position, or `_SEVERAL`."""
        users: dict[Value, list[Value]] = {}
        found: dict[Value, int] = {}
        changed: list[Value] = []

        def note(value: Value, position: int) -> None:
            known = found.get(value)
            if known not in (position, _SEVERAL):
                found[value] = position if known is None else _SEVERAL
                changed.append(value)

        for value in self._ssa.values():
            for source in _counted_from(value):
                users.setdefault(source, []).append(value)
            position = self.param_at(value)
            if position is not None:
                note(value, position)
        while changed:
            value = changed.pop()
            for user in users.get(value, ()):
                note(user, found[value])
        return found

    def param_at(self, value: Value) -> int | None:
        """Return the position of the pointer parameter that an instruction loads, if it does."""
        if not isinstance(value, Op) or value.ins.row.name != "ld_kernarg_u64":
            return None
        return self._positions.get(value.address.offset)

    @cached_property
    def _positions(self) -> dict[int, int]:
        """Where a pointer parameter lies -> its position."""
        return {p.offset: i for i, p in enumerate(self._params) if p.is_pointer}


def _counted_from(value: Value) -> Iterable[Value]:
    """Return the values from which an address may be counted, one of them a pointer."""
    if isinstance(value, Phi):
        return value.args.values()
    if isinstance(value, Op):
        match value.ins.row.stem:
            case "add" | "sub" | "select":
                return value.args
            case "mad":
                return value.args[2:3]
    return ()
