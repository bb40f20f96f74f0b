"""Identity and cross-lane instructions of the interpreter.

Cross-lane operations work over the lanes of one warp that are issued together, so their values
depend on the divergence scheme.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...isa.instruction import Instruction, Reg
from .alu import dtype_of
from .resident import Group, Resident

Array = np.ndarray
Step = Callable[[Group], None]


def identity(resident: Resident, ins: Instruction) -> Step:
    """Bind workitemid and its relatives, precomputed per batch of workgroups."""
    assert ins.dst is not None
    register = resident.registers[ins.dst.cls.value].bits[ins.dst.index]
    stem = ins.row.stem
    dimension = ins.literals[0] if ins.literals else 0

    def step(g: Group) -> None:
        register[g.index] = resident.identity(stem, dimension)[g.index]

    return step


def cross_lane(resident: Resident, ins: Instruction) -> Step:
    """Bind an instruction of the activelane family."""
    assert ins.dst is not None and ins.row.dst is not None and ins.row.dst.type is not None
    register = resident.register(ins.dst.cls.value, ins.dst.index, ins.row.dst.type)
    compute = _CROSS_LANE[ins.row.stem]
    sources = []
    for operand, source in zip(ins.row.srcs, ins.srcs, strict=True):
        assert operand.type is not None
        if isinstance(source, Reg):
            sources.append(resident.register(source.cls.value, source.index, operand.type))
        else:
            constant = np.array(source.bits, dtype_of(operand.type))
            sources.append(np.broadcast_to(constant, (resident.n_lanes,)))

    def step(g: Group) -> None:
        lanes = g.flat(resident.numbers)
        register[g.index] = compute(resident, lanes, [s[g.index] for s in sources])

    return step


def _warps(resident: Resident, lanes: Array, flags: Array) -> tuple[Array, Array]:
    """Return (rows of bools with the flags of the given lanes, warp of each given lane)."""
    rows = np.zeros(resident.n_lanes, bool)
    rows[lanes] = flags
    return rows.reshape(resident.n_warps, resident.width), lanes // resident.width


def _lane_id(resident: Resident, lanes: Array, sources: list[Array]) -> Array:
    active, _ = _warps(resident, lanes, np.ones(lanes.size, bool))
    below = np.cumsum(active, axis=1) - active
    return below.reshape(-1)[lanes].astype(np.uint32)


def _count(resident: Resident, lanes: Array, sources: list[Array]) -> Array:
    rows, warp = _warps(resident, lanes, sources[0])
    return rows.sum(axis=1, dtype=np.uint32)[warp]


def _mask(resident: Resident, lanes: Array, sources: list[Array]) -> Array:
    rows, warp = _warps(resident, lanes, sources[0])
    weights = np.uint64(1) << np.arange(resident.width, dtype=np.uint64)
    return (rows * weights).sum(axis=1, dtype=np.uint64)[warp]


def _any(resident: Resident, lanes: Array, sources: list[Array]) -> Array:
    rows, warp = _warps(resident, lanes, sources[0])
    return np.any(rows, axis=1)[warp]


def _all(resident: Resident, lanes: Array, sources: list[Array]) -> Array:
    rows, warp = _warps(resident, lanes, ~sources[0])
    return np.logical_not(np.any(rows, axis=1))[warp]


def _permute(resident: Resident, lanes: Array, sources: list[Array]) -> Array:
    value, from_lane = sources
    everything = np.zeros(resident.n_lanes, value.dtype)
    everything[lanes] = value
    warp_start = lanes // resident.width * resident.width
    return everything[warp_start + (from_lane % np.uint32(resident.width)).astype(np.intp)]


_CROSS_LANE: dict[str, Callable[[Resident, Array, list[Array]], Array]] = {
    "activelaneid": _lane_id,
    "activelanecount": _count,
    "activelanemask": _mask,
    "activelaneany": _any,
    "activelaneall": _all,
    "activelanepermute": _permute,
}
