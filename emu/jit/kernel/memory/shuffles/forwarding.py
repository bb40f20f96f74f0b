"""Loads made of what was stored to group memory (analysis/group_memory/forwarded.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .....analysis.group_memory.forwarded import NONE, Access, Forwarded, Sources, copies_of
from .....analysis.values.ssa import Op
from ....llvm.text import integer, mask_constant
from ...lane_code import LaneCode


class Forwarding:
    """Keeps what stores have written in variables, and makes loads of it."""

    def __init__(self, lanes: LaneCode, found: Forwarded) -> None:
        self._lanes = lanes
        self.found = found

    def begin(self) -> None:
        """Set the words of lanes' own to zero, where a workgroup begins."""
        lanes = self._lanes
        for op in dict.fromkeys(store.name for store in self.found.own.values()):
            types = [integer(op.element.bits, lanes.n)] * lanes.most
            lanes.variables.store(_key(Access(op)), types, ["zeroinitializer"] * lanes.most)

    def set_own(self, op: Op, data: Sequence[str]) -> None:
        """Set the words of the running lanes to what a store writes."""
        lanes, store = self._lanes, self.found.own[op]
        key, types = _key(Access(store.name)), [integer(op.element.bits, lanes.n)] * len(data)
        before = lanes.variables.load(key, types)
        after = lanes.chosen(lanes.mask, types, list(data), before)
        for i in range(len(data)):
            if not store.lanes[i * lanes.n : (i + 1) * lanes.n].any():
                after[i] = before[i]
        lanes.variables.store(key, types, after)

    def note(self, op: Op, data: Callable[[], list[str]]) -> None:
        """Note what a store writes, if loads take it."""
        if self.is_kept(op):
            self.keep(op, data())
        if self.changes(op):
            self.change(op, data())

    def keep(self, op: Op, data: Sequence[str]) -> None:
        """Note the vectors that a store writes."""
        v = integer(32, self._lanes.n)
        self._lanes.variables.store(_key(self._access(op)), [v] * len(data), data)

    def is_kept(self, op: Op) -> bool:
        """Return whether a load takes what a store writes."""
        if op in self.found.own or self._lanes.is_alone:
            return False
        return self._access(op) in self.found.stores

    def changes(self, op: Op) -> bool:
        """Return whether a store changes words that loads take."""
        changed = self.found.changes.get(self._access(op), {})
        return not self.found.stores.isdisjoint(changed) and not self._lanes.is_alone

    def change(self, op: Op, data: Sequence[str]) -> None:
        """Note the words that the running lanes of a store write in place of what they had."""
        lanes = self._lanes
        for store, some in self.found.changes[self._access(op)].items():
            vectors = -(-(int(np.flatnonzero(some)[-1]) + 1) // lanes.n)
            masks = []
            for chunk, mask in enumerate(lanes.mask[:vectors]):
                here = some[chunk * lanes.n : (chunk + 1) * lanes.n].tolist()
                masks.append(lanes.code.let(f"and {lanes.mask_type} {mask}, {mask_constant(here)}"))
            types = [integer(32, lanes.n)] * vectors
            lanes.copy(_key(store), types, list(data[:vectors]), masks)

    def _access(self, op: Op) -> Access:
        return Access(op, copies_of(self._lanes.copies) if self.found.by_copies else ())

    def load(self, op: Op) -> list[str] | None:
        """Return the vectors of a load, or the scalar of one place; None if it is from memory."""
        sources = self.found.loads.get(self._access(op))
        if sources is None or self._lanes.is_alone:
            return None
        kept = [self._kept(sources, position) for position in range(len(sources.stores))]
        if op.base is None or self._lanes.shapes.is_uniform(op.base):
            return [self._scalar(sources, kept[0])]
        return [
            self._with_zeros(sources, self._vector(sources, kept, chunk), chunk)
            for chunk in range(self._lanes.k)
        ]

    def _kept(self, sources: Sources, position: int) -> list[str]:
        lanes = self._lanes
        most = int(sources.lane_of[sources.store_of == position].max()) // lanes.n + 1
        store = sources.stores[position]
        types = [integer(store.op.element.bits, lanes.n)] * most
        return lanes.variables.load(_key(store), types)

    def _scalar(self, sources: Sources, kept: Sequence[str]) -> str:
        """Return the word of one place, which one lane has stored."""
        n, lane = self._lanes.n, int(sources.lane_of.max())
        vector = f"{integer(sources.stores[0].op.element.bits, n)} {kept[lane // n]}"
        return self._lanes.code.let(f"extractelement {vector}, i32 {lane % n}")

    def _vector(self, sources: Sources, kept: Sequence[Sequence[str]], chunk: int) -> str:
        """Return one vector of a load, by permutations of two vectors each."""
        n = self._lanes.n
        v = integer(sources.stores[0].op.element.bits, n)
        here = slice(chunk * n, (chunk + 1) * n)
        stores, lanes = sources.store_of[here].tolist(), sources.lane_of[here].tolist()
        places: list[tuple[int, int, int] | None] = [
            None if store == NONE else (store, lane // n, lane % n)
            for store, lane in zip(stores, lanes, strict=True)
        ]
        vectors = list(dict.fromkeys(place[:2] for place in places if place is not None))
        if not vectors:
            return "zeroinitializer"
        done, *others = vectors
        result = kept[done[0]][done[1]]
        order = [p[2] if p is not None and p[:2] == done else None for p in places]
        if not others:
            if all(at is None or at == i for i, at in enumerate(order)):
                return result
            return self._shuffled(v, result, "poison", order)
        for other in others:
            order = [
                at if p is None or p[:2] != other else n + p[2]
                for at, p in zip(order, places, strict=True)
            ]
            result = self._shuffled(v, result, kept[other[0]][other[1]], order)
            order = [None if at is None else i for i, at in enumerate(order)]
        return result

    def _with_zeros(self, sources: Sources, vector: str, chunk: int) -> str:
        """Return one vector of a load with zeros in lanes whose words are never stored."""
        lanes = self._lanes
        here = slice(chunk * lanes.n, (chunk + 1) * lanes.n)
        if sources.zero is None or not sources.zero[here].any():
            return vector
        v = integer(sources.stores[0].op.element.bits, lanes.n)
        never = mask_constant(sources.zero[here].tolist())
        return lanes.code.let(
            f"select {lanes.mask_type} {never}, {v} zeroinitializer, {v} {vector}"
        )

    def _shuffled(self, v: str, a: str, b: str, order: Sequence[int | None]) -> str:
        numbers = ", ".join(f"i32 {i if at is None else at}" for i, at in enumerate(order))
        kind = f"<{len(order)} x i32>"
        return self._lanes.code.let(f"shufflevector {v} {a}, {v} {b}, {kind} <{numbers}>")


def _key(access: Access) -> tuple[str, Access]:
    """Return the key of the variable that has what a store has written."""
    return "stored", access
