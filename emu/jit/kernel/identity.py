"""Identity of lanes in generated code: who they are, which exist, who has returned."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from ...analysis.ssa import Op
from ..runtime.context import Slot

if TYPE_CHECKING:
    from .nodes import Lowering


class Lanes:
    """The identity values of one warp. `start` computes them where a warp begins or goes on."""

    def __init__(self, lowering: Lowering) -> None:
        self.low = lowering
        self.facts = lowering.facts
        self.group = "%g"
        self.warp = "%w"
        self.track_exits = False
        """Whether somebody needs to know which lanes have returned."""

    # --- the workgroup

    def start_group(self) -> None:
        """workgroupid and the workgroup's size, as i32 scalars."""
        code = self.low.code
        flat = code.let(f"trunc i64 {self.group} to i32")
        gx, gy = (self._slot32(s) for s in (Slot.GROUPS_X, Slot.GROUPS_Y))
        x = code.let(f"urem i32 {flat}, {gx}")
        rest = code.let(f"udiv i32 {flat}, {gx}")
        y = code.let(f"urem i32 {rest}, {gy}")
        z = code.let(f"udiv i32 {rest}, {gy}")
        self.group_id = [x, y, z]
        nominal = self.facts.group_size
        if self.facts.whole:
            self.size = [str(s) for s in nominal]
            self.group_items = str(prod(nominal))
            return
        self.size = []
        for g, size, slot in zip(self.group_id, nominal, _ITEMS, strict=True):
            before = code.let(f"mul i32 {g}, {size}")
            left = code.let(f"sub i32 {self._slot32(slot)}, {before}")
            self.size.append(code.call("i32", "llvm.umin.i32", f"i32 {left}", f"i32 {size}"))
        xy = code.let(f"mul i32 {self.size[0]}, {self.size[1]}")
        self.group_items = code.let(f"mul i32 {xy}, {self.size[2]}")

    @property
    def warps(self) -> str:
        """Warps of the workgroup, an i64 operand."""
        width = self.facts.width
        if self.facts.whole:
            return str(prod(self.facts.group_size) // width)
        code = self.low.code
        more = code.let(f"add i32 {self.group_items}, {width - 1}")
        return code.let(f"zext i32 {code.let(f'udiv i32 {more}, {width}')} to i64")

    def _slot32(self, slot: int) -> str:
        return self.low.code.let(f"trunc i64 {self.low.slot(slot)} to i32")

    # --- the warp

    def start(self) -> list[str]:
        """The flat local ids and positions of a warp's lanes; returns the mask of existing ones."""
        low, code, n, k = self.low, self.low.code, self.low.n, self.low.k
        vector = f"<{n} x i32>"
        warp = code.let(f"trunc i64 {self.warp} to i32")
        self.first = code.let(f"mul i32 {warp}, {self.facts.width}")
        base = low.spread_i32(self.first)
        self.lane = [_row(range(j * n, j * n + n)) for j in range(k)]
        self.flat = [code.let(f"add {vector} {base}, {lane}") for lane in self.lane]
        self._positions()
        if self.facts.whole:
            return ["splat (i1 true)"] * k
        limit = low.spread_i32(self.group_items)
        return [code.let(f"icmp ult {vector} {f}, {limit}") for f in self.flat]

    def _positions(self) -> None:
        """workitemid: scalars for lane 0, and chunks where they differ from lane to lane."""
        code, n = self.low.code, self.low.n
        vector = f"<{n} x i32>"
        x, y, _ = self.size
        zero = ["zeroinitializer"] * self.low.k
        self.uniform_rows = self.facts.rows
        if self.facts.group_size[1:] == (1, 1):
            self.local0 = [self.first, "0", "0"]
            self.local = [self.flat, zero, zero]
            return
        row = code.let(f"udiv i32 {self.first}, {x}")
        self.local0 = [
            code.let(f"urem i32 {self.first}, {x}"),
            code.let(f"urem i32 {row}, {y}"),
            code.let(f"udiv i32 {row}, {y}"),
        ]
        if self.uniform_rows:
            x0 = self.low.spread_i32(self.local0[0])
            xs = [code.let(f"add {vector} {x0}, {lane}") for lane in self.lane]
            self.local = [xs, [], []]
            return
        xs, ys = (self.low.spread_i32(s) for s in (x, y))
        rows = [code.let(f"udiv {vector} {f}, {xs}") for f in self.flat]
        self.local = [
            [code.let(f"urem {vector} {f}, {xs}") for f in self.flat],
            [code.let(f"urem {vector} {r}, {ys}") for r in rows],
            [code.let(f"udiv {vector} {r}, {ys}") for r in rows],
        ]

    def report(self, lane: str) -> None:
        """Say in the context block that the trap is that of a lane (i64) of this warp."""
        code = self.low.code
        self.low.set_slot(Slot.TRAP_GROUP, self.group)
        first = code.let(f"zext i32 {self.first} to i64")
        self.low.set_slot(Slot.TRAP_LOCAL, code.let(f"add i64 {first}, {lane}"))

    def leave(self, chunks: Sequence[str]) -> None:
        """Lanes return."""
        if self.track_exits:
            from .function import note_exit

            note_exit(self.low, chunks)

    # --- instructions

    def op(self, op: Op) -> None:
        """Define the value of an identity instruction."""
        low, code = self.low, self.low.code
        stem = op.ins.row.stem
        dim = op.ins.literals[0] if op.ins.literals else 0
        match stem:
            case "workgroupid":
                low.define(op, "value", [self.group_id[dim]])
            case "workgroupsize":
                low.define(op, "value", [str(self.facts.group_size[dim])])
            case "currentworkgroupsize":
                low.define(op, "value", [self.size[dim]])
            case "gridsize":
                low.define(op, "value", [self._slot32(_ITEMS[dim])])
            case "gridgroups":
                low.define(op, "value", [self._slot32(_GROUPS[dim])])
            case "wavesize":
                low.define(op, "value", [str(self.facts.width)])
            case "waveid":
                low.define(op, "value", [code.let(f"trunc i64 {self.warp} to i32")])
            case "laneid":
                self._define(op, "0", self.lane)
            case "workitemflatid":
                self._define(op, self.first, self.flat)
            case "workitemid":
                self._define(op, self.local0[dim], self.local[dim])
            case "workitemabsid":
                self._define(op, *self._absolute(dim, op))
            case "workitemflatabsid":
                self._define(op, *self._flat_absolute(op))
            case _:
                raise NotImplementedError(stem)

    def _define(self, op: Op, first: str, chunks: list[str]) -> None:
        shapes = self.low.shapes
        if shapes.is_uniform(op):
            self.low.define(op, "value", [first])
            return
        self.low.define(op, "value", chunks)
        if shapes.stride(op) is not None:
            self.low.define(op, "lane0", [first])

    def _absolute(self, dim: int, op: Op) -> tuple[str, list[str]]:
        code, n = self.low.code, self.low.n
        start = code.let(f"mul i32 {self.group_id[dim]}, {self.facts.group_size[dim]}")
        first = code.let(f"add i32 {start}, {self.local0[dim]}")
        if not self.local[dim]:
            return first, []
        base = self.low.spread_i32(start)
        return first, [code.let(f"add <{n} x i32> {base}, {c}") for c in self.local[dim]]

    def _flat_absolute(self, op: Op) -> tuple[str, list[str]]:
        code, n = self.low.code, self.low.n
        x0, xs = self._absolute(0, op)
        if self.facts.group_size[1:] == (1, 1):
            # One row of workgroups at a time: y and z of a work-item are those of its workgroup.
            ys = [self.low.spread_i32(self.group_id[1])] * self.low.k
            zs = [self.low.spread_i32(self.group_id[2])] * self.low.k
            y0, z0 = self.group_id[1:]
        else:
            (y0, ys), (z0, zs) = self._absolute(1, op), self._absolute(2, op)
            ys = ys or [self.low.spread_i32(y0)] * self.low.k
            zs = zs or [self.low.spread_i32(z0)] * self.low.k
        nx, ny = (self._slot32(s) for s in (Slot.ITEMS_X, Slot.ITEMS_Y))
        first = code.let(f"mul i32 {z0}, {ny}")
        first = code.let(f"add i32 {first}, {y0}")
        first = code.let(f"mul i32 {first}, {nx}")
        first = code.let(f"add i32 {first}, {x0}")
        nxs, nys = self.low.spread_i32(nx), self.low.spread_i32(ny)
        v = f"<{n} x i32>"
        chunks = []
        for x, y, z in zip(xs, ys, zs, strict=True):
            t = code.let(f"mul {v} {z}, {nys}")
            t = code.let(f"add {v} {t}, {y}")
            t = code.let(f"mul {v} {t}, {nxs}")
            chunks.append(code.let(f"add {v} {t}, {x}"))
        return first, chunks


_ITEMS = (Slot.ITEMS_X, Slot.ITEMS_Y, Slot.ITEMS_Z)
_GROUPS = (Slot.GROUPS_X, Slot.GROUPS_Y, Slot.GROUPS_Z)


def _row(values: Sequence[int]) -> str:
    """A constant chunk of i32."""
    return f"<{', '.join(f'i32 {v}' for v in values)}>"
