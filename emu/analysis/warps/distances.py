"""Distances of a warp's lanes from its lane 0, where they are the same in all warps.

A stride says that lanes are equally far apart. Where rows are shorter than a warp, lanes of
different rows have other distances: `8 * y + x` still steps by 1 in rows of eight, `17 * x + y`
goes down a tile, and `n * y + x` differs by multiples of a uniform `n`, `(n * z + y) * n + x` by
those of `n * n` as well. All of it is known before a kernel runs, from the workgroup's shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ....isa.types import RegClass
from ..facts import Facts
from ..values import item_numbers
from ..values.ssa import Const, Op, Phi, Ssa, Value

Numbers = npt.NDArray[np.int64]
"""One for each lane of a warp."""

Term = tuple[Value, ...]
"""Uniform values that are multiplied, in the order in which a kernel does so."""

MOST_FACTORS = 3
"""Uniform values of a product: `(z * n + y) * n + x` has two."""

LARGEST = 4_000
"""Values of a kernel of which distances are found."""


@dataclass(frozen=True)
class Distances:
    """How far lanes are from lane 0: constants plus multiples of uniform products, modulo 2^32.

    Constants are from -2^31 to 2^31 - 1.
    """

    constants: Numbers
    multiples: Mapping[Term, Numbers] = field(default_factory=dict)
    chosen: bool = False
    """Whether a phi is involved, whose value is known in lanes that have run only."""

    def plus(self, other: Distances, sign: int = 1) -> Distances:
        """Return the distances of a sum, or of a difference if `sign` is -1."""
        found = dict(self.multiples)
        for term, numbers in other.multiples.items():
            found[term] = _wrapped(found.get(term, 0) + sign * numbers)
        found = {term: numbers for term, numbers in found.items() if numbers.any()}
        constants = _wrapped(self.constants + sign * other.constants)
        return Distances(constants, found, self.chosen or other.chosen)

    def times(self, factor: int) -> Distances:
        """Return the distances of a product with a constant."""
        return Distances(
            _wrapped(self.constants * factor),
            {term: _wrapped(numbers * factor) for term, numbers in self.multiples.items()},
            self.chosen,
        )

    def times_uniform(self, factor: Value) -> Distances | None:
        """Return the distances of a product with a uniform value; None if it has many factors."""
        if any(len(term) >= MOST_FACTORS for term in self.multiples):
            return None
        found = {(*term, factor): numbers for term, numbers in self.multiples.items()}
        if self.constants.any():
            found[factor,] = self.constants
        return Distances(np.zeros_like(self.constants), found, self.chosen)

    def is_same(self, other: Distances) -> bool:
        """Return whether the distances are the same, whatever the uniform values."""
        return (
            bool((self.constants == other.constants).all())
            and self.multiples.keys() == other.multiples.keys()
            and all(bool((n == other.multiples[v]).all()) for v, n in self.multiples.items())
        )

    @property
    def step(self) -> int | None:
        """The step from each lane to the next, if it is a constant."""
        if self.multiples:
            return None
        step = int(self.constants[1]) if len(self.constants) > 1 else 0
        steps = _wrapped(np.arange(len(self.constants)) * step)
        return step if bool((self.constants == steps).all()) else None


def _wrapped(numbers: Numbers) -> Numbers:
    """Return numbers modulo 2^32, from -2^31 to 2^31 - 1."""
    return numbers.astype(np.uint32).astype(np.int32).astype(np.int64)


Found = Distances | object | None
_UNKNOWN = object()


class LanesTogether(Protocol):
    """What distances depend on besides the code of a kernel."""

    ssa: Ssa
    facts: Facts

    def is_uniform(self, value: Value) -> bool:
        """Return whether all lanes that run together have the same value."""
        ...

    def may_mix(self, phi: Phi) -> bool:
        """Return whether a phi may have values of different paths or iterations in its lanes."""
        ...


class LaneDistances:
    """The distances of a kernel's 32-bit values."""

    def __init__(self, shapes: LanesTogether) -> None:
        self._shapes = shapes
        self._facts = facts = shapes.facts
        self._none = Distances(np.zeros(facts.width, np.int64))
        self._exact = item_numbers.KnownNumbers(
            item_numbers.Results(facts.group_size, whole=facts.whole)
        )
        """Values that are the same in all workgroups, of every work-item in turn."""
        self._found: dict[Value, Found] = {}
        values = [v for v in shapes.ssa.values() if v.cls is RegClass.S]
        if _has_known_items(facts) and len(values) <= LARGEST:
            self._solve([v for v in values if not shapes.is_uniform(v)])

    def of(self, value: Value) -> Distances | None:
        """Return the distances of a value's lanes, whether they run or not; None if not known."""
        found = self._of(value)
        return found if isinstance(found, Distances) else None

    def _of(self, value: Value) -> Found:
        if value.cls is RegClass.S and self._shapes.is_uniform(value):
            return self._none
        return self._found.get(value)

    def _solve(self, values: list[Value]) -> None:
        """Begin with all distances for phis, and take away until nothing contradicts."""
        self._found = dict.fromkeys(values, _UNKNOWN)
        changed = True
        while changed:
            changed = False
            for value in values:
                old = self._found[value]
                if old is None or self._exact.of(value) is not None:
                    continue
                new = self._phi(value) if isinstance(value, Phi) else self._op(value)
                if isinstance(old, Distances) and isinstance(new, Distances) and old.is_same(new):
                    continue
                if new is not old:
                    # Whatever changes after it was known has no distances that last.
                    self._found[value] = new if old is _UNKNOWN else None
                    changed = True

    def _phi(self, phi: Phi) -> Found:
        if self._shapes.may_mix(phi):
            return None
        known = [d for d in map(self._of, phi.args.values()) if d is not _UNKNOWN]
        if not known:
            return _UNKNOWN
        first = known[0]
        if not isinstance(first, Distances) or first.multiples:
            return None  # a uniform value may be another one in the next iteration
        same = all(isinstance(d, Distances) and d.is_same(first) for d in known)
        return replace(first, chosen=True) if same else None

    def _op(self, value: Value) -> Found:
        assert isinstance(value, Op)
        exact = self._exact.calculate(value)
        if exact is not None:
            apart = _between_lanes(exact, self._facts.width)
            if apart is not None:
                return Distances(apart)
        row = value.ins.row
        if row.name not in _SUMS:
            return self._identity(value) if row.is_identity else self._of_low_bits(value)
        found = [self._of(a) for a in value.args]
        if _UNKNOWN in found:
            return _UNKNOWN
        apart = [d for d in found if isinstance(d, Distances)]
        if len(apart) < len(found):
            return None
        match row.stem, apart:
            case "add", [a, b]:
                return a.plus(b)
            case "sub", [a, b]:
                return a.plus(b, -1)
            case "mul", [_, _]:
                return self._product(value.args, apart)
            case "mad", [_, _, c]:
                product = self._product(value.args, apart)
                return None if product is None else product.plus(c)
            case "shl", [a, _] if isinstance(value.args[1], Const):
                return a.times(1 << (value.args[1].bits & 31))
        return None

    def _product(self, args: list[Value], apart: list[Distances]) -> Distances | None:
        """Return the distances of a product of a uniform value and another one."""
        for this, other in ((0, 1), (1, 0)):
            factor = args[other]
            if isinstance(factor, Const):
                return apart[this].times(_signed(factor.bits))
            if self._shapes.is_uniform(factor):
                return apart[this].times_uniform(factor)
        return None

    def _of_low_bits(self, op: Op) -> Distances | None:
        """Return the distances of a place in the grid that is divided, or whose low bits change."""
        numbers = item_numbers.apart_in_group(op, self._facts.group_size)
        apart = None if numbers is None else _between_lanes(numbers, self._facts.width)
        return None if apart is None else Distances(apart)

    def _identity(self, op: Op) -> Distances | None:
        """Return the distances of an identity that depends on the workgroup's place."""
        if op.ins.row.stem != "workitemabsid":
            return None
        ids = item_numbers.local_ids(self._facts.group_size, op.ins.literals[0])
        apart = _between_lanes(ids, self._facts.width)
        return None if apart is None else Distances(apart)


_SUMS = frozenset(
    f"{stem}_{type_}" for stem in ("add", "sub", "mul", "mad", "shl") for type_ in ("u32", "s32")
)


def _signed(bits: int) -> int:
    return int(np.uint32(bits).astype(np.int32))


def _has_known_items(facts: Facts) -> bool:
    """Return whether the work-items of each warp are known, but for how many there are."""
    if facts.begins_anywhere:
        return False
    one_row = facts.group_size[1:] == (1, 1)
    return (facts.whole or one_row) and prod(facts.group_size) % facts.width == 0


def _between_lanes(numbers: item_numbers.Numbers, width: int) -> Numbers | None:
    """Return the distances of a warp's lanes, if they are the same in all warps of a workgroup."""
    warps = numbers.reshape(-1, width)
    apart = _wrapped(warps.astype(np.int64) - warps[:, :1])
    return apart[0] if bool((apart == apart[0]).all()) else None
