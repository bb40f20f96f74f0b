"""Contracts that every policy, scheduler, memory system and scheme keeps, ours and yours.

    from simtlab.testing import policy_contract

    def test_my_policy():
        policy_contract("my_policy.py")

Each contract runs random kernels, first in the plain engine, where every hook is watched, then
compiled. What it finds is shrunk by hypothesis and shown as assembly text (docs/testing.md).
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ..emu.engine import SchemeSpec
from ..emu.geometry import Geometry
from ..emu.schemes import SCHEMES, Scheme, resolve, spec_of
from ..isa.errors import SimtError
from ..timing.compiler.files import Policy, configured, files_of, find
from ..timing.machines.machine import Machine, load
from ..timing.simulation.simulator import Simulator
from .agreement import run_case
from .case import Case
from .contract import Identity, check_examples
from .strategies import kernels

BUDGET = 1 << 16
WIDTHS = (1, 2, 5, 8, 16)
SCHEME_WIDTHS = (1, 2, 7, 16, 32, 64)

_MACHINES: dict[str, st.SearchStrategy[Any]] = {
    "width": st.sampled_from(WIDTHS),
    "adversary_seed": st.integers(1, 1000),
    "dram.latency": st.sampled_from([10, 100, 1000]),
    "slots": st.sampled_from([0, 3, 8]),
    "wst_entries": st.sampled_from([0, 2, 16]),
    "interval": st.sampled_from([20, 100_000]),
}


def policy_contract(
    policy: Policy | str | Path, *, examples: int = 25, shrink: bool = True
) -> None:
    """Assert that a policy leaves the oracle's memory, runs every lane once, ends, is repeatable.

    Random kernels run on small machines whose memory answers at random, soon or late, with scarce
    scheduler slots and split tables, and short intervals: results equal the oracle's, every
    work-item executes as many instructions as under Conv (except with markers, which are
    instructions too), no lane issues before its data have arrived, every cycle has one owner (which
    the engine checks itself), a second run takes the same cycles, and so does the engine without
    compiling. `shrink=False` shows the first kernel that fails as it is, at once. Raises
    AssertionError.
    """
    chosen = policy if isinstance(policy, Policy) else find(str(policy))
    _check(chosen, _fields_of(chosen), examples, shrink)


def scheduler_contract(
    scheduler: str | Path,
    *,
    policy: Policy | str = "dws.revive-split",
    examples: int = 25,
    shrink: bool = True,
) -> None:
    """Assert that a scheduler picks ready groups, leaves them unchanged, and starves none.

    `scheduler` is a file or a name; it orders the groups of `policy`, whose warps split at branches
    and misses unless another one is named. It checks what `policy_contract` checks.
    Raises AssertionError.
    """
    chosen = policy if isinstance(policy, Policy) else find(policy)
    fields = {**_fields_of(chosen), "scheduler": st.just(_path(scheduler))}
    _check(chosen, fields, examples, shrink, also=[_path(scheduler)])


def memory_contract(
    machine: Machine | str | Path, *, examples: int = 25, shrink: bool = True
) -> None:
    """Assert that a memory system answers after issue, loses no access, and is repeatable.

    `machine` names a preset or a file, or is a Machine; its memory is tried at several widths with
    random kernels. Besides what `policy_contract` checks: every access takes at least a cycle, the
    boundaries of its wait are in order, and lanes that hit are lanes of the access. Raises
    AssertionError.
    """
    chosen = machine if isinstance(machine, Machine) else load(str(machine))
    _check(find("conv"), {"width": st.sampled_from([4, 8, 16])}, examples, shrink, chosen)


_SWAP = """\
kernel pieces(u32 %n, global u32* %out) {
    .group u32 swap[48]
    workitemflatabsid_u32 $s0
    workitemflatid_u32 $s1
    ld_kernarg_u64  $d0, [%out]
    cvt_u64_u32     $d1, $s0
    mad_u64         $d0, $d1, 4, $d0
    mov_u32         $s2, 3
@round:
    and_u32         $s3, $s0, $s2
@again:
    add_u32         $s4, $s4, $s0
    cmp_eq_u32      $c0, $s3, 0
    sub_u32         $s3, $s3, 1
    not_b1          $c0, $c0
    cbr             $c0, @again
    mul_u32         $s5, $s1, 4
    st_group_u32    $s4, [swap+$s5]
    barrier
    xor_u32         $s5, $s1, 1
    mul_u32         $s5, $s5, 4
    ld_group_u32    $s6, [swap+$s5]
    add_u32         $s4, $s4, $s6
    barrier
    sub_u32         $s2, $s2, 1
    cmp_ne_u32      $c0, $s2, 0
    cbr             $c0, @round
    st_global_u32   $s4, [$d0]
    ret
}
"""
PIECES = Case(_SWAP, Geometry.of(items=96, group_size=48), (96, np.zeros(96, np.uint32)))
"""A kernel whose warps reach barriers in parts, which random kernels seldom do."""


def scheme_contract(
    scheme: str | Path | type[Scheme], *, examples: int = 100, shrink: bool = True
) -> None:
    """Assert that a divergence scheme leaves the oracle's memory, loses no lane, and ends.

    `scheme` is a file, a subclass of `Scheme`, or a name. Random kernels run in the interpreter at
    several widths: after every event each live lane is in one path, at the pc to which its own
    instructions have brought it (schemes/watched.py); results equal the oracle's, and work-items
    execute as many instructions as under the stack (except with markers, which are instructions
    too); barriers open for whole workgroups only; a second run counts the same. Raises
    AssertionError.
    """
    spec = spec_of(_path(scheme) if isinstance(scheme, (str, Path)) else scheme)
    if spec.own is None and spec.name in SCHEMES:
        spec = SchemeSpec(spec.name, own=SCHEMES[spec.name])
    cls, _ = resolve(spec)
    drawn = st.tuples(kernels(), st.sampled_from(SCHEME_WIDTHS))

    def agrees(example: tuple[Case, int]) -> None:
        case, width = example
        counts = []
        for chosen in (spec, spec, SchemeSpec()):
            try:
                result, arrays, trap = run_case(
                    case, scheme=chosen, width=width, budget=BUDGET, stats=True
                )
            except SimtError as stop:
                raise AssertionError(f"{cls.name}, warps of {width}: {stop}\n{case}") from stop
            assert trap is None, f"{cls.name}, warps of {width}: {trap}\n{case}"
            assert result is not None
            assert result.statistics is not None
            _assert_memory(f"{cls.name}, warps of {width}", case, arrays)
            counts.append(result.statistics.to_dict())
        assert counts[0] == counts[1], f"{cls.name} counts differently the second time\n{case}"
        found, wanted = (c["thread_instructions"] for c in counts[1:])
        assert cls.explicit or found == wanted, (
            f"{cls.name}: work-items execute {found} instructions, under the stack {wanted}\n{case}"
        )

    for width in SCHEME_WIDTHS:
        agrees((PIECES, width))
    identity = Identity(cls.name, [_source_of(spec, cls)])
    seed = identity.seed()
    check_examples(identity, drawn, agrees, examples, shrink=shrink, seed=seed)


def _source_of(spec: SchemeSpec, cls: type[Scheme]) -> str:
    """Return the source text of a scheme, or its name if it has none."""
    if spec.own is None:
        return Path(spec.name).read_text(encoding="utf-8", errors="replace")
    try:
        return inspect.getsource(spec.own)
    except (OSError, TypeError):
        return f"{cls.__module__}.{cls.__qualname__}"


def _path(file: str | Path) -> str:
    """Return a file by its whole path; a name as it is."""
    return str(Path(file).resolve()) if str(file).endswith(".py") else str(file)


def _fields_of(policy: Policy) -> dict[str, st.SearchStrategy[Any]]:
    """Return the strategies for the fields of machines that a policy runs on."""
    fields = dict(_MACHINES)
    if policy.issue:
        fields["issue"] = st.sampled_from(sorted(policy.issue))
    if "warp" in policy.settings:
        fields["rows"] = st.integers(1, 3)
    return fields


_LEAVING = """
kernel leaving(u32 %n, global u32* %out) {
    workitemabsid_u32  $s0, 0
    cvt_u64_u32        $d1, $s0
    ld_kernarg_u64     $d0, [%out]
    mad_u64            $d0, $d1, 4, $d0
    and_u32            $s1, $s0, 1
    cmp_ne_u32         $c0, $s1, 0
    cbr                $c0, @odd
    st_global_u32      $s0, [$d0]
    ret
@odd:
    add_u32            $s1, $s0, 100
    st_global_u32      $s1, [$d0]
    ret
}
"""

LEAVING = Case(_LEAVING, Geometry.of(items=24, group_size=12), (24, np.zeros(24, np.uint32)))
"""Half of each warp returns while the other half waits, which few random kernels do."""


_TRIPS = """\
kernel trips(u32 %n, global u32* %x, global u32* %out) {
    workitemflatabsid_u32 $s0
    cvt_u64_u32     $d1, $s0
    ld_kernarg_u64  $d0, [%x]
    mad_u64         $d0, $d1, 4, $d0
    mov_u32         $s1, 40
@trip:
    ld_global_u32   $s3, [$d0]
    add_u32         $s2, $s2, $s3
    and_u32         $s4, $s1, 3
    cmp_ne_u32      $c0, $s4, 0
    cbr             $c0, @next
    barrier
@next:
    add_u64         $d0, $d0, 64
    sub_u32         $s1, $s1, 1
    cmp_ne_u32      $c0, $s1, 0
    cbr             $c0, @trip
    ld_kernarg_u64  $d2, [%out]
    mad_u64         $d2, $d1, 4, $d2
    st_global_u32   $s2, [$d2]
    ret
}
"""
TRIPS = Case(
    _TRIPS,
    Geometry.of(items=64, group_size=16),
    (24, np.arange(64 + 16 * 40, dtype=np.uint32), np.zeros(64, np.uint32)),
)
"""All work-items meet at a barrier in every fourth trip. Lanes that run ahead merge with lanes of
other trips, and part again at the branch around the barrier (DWS-16)."""

TRIPS_MACHINES: Sequence[Mapping[str, Any]] = [
    {"width": width, "wst_entries": entries, "dram.latency": 60, "adversary_seed": seed}
    for seed, width, entries in ((1, 8, 6), (2, 4, 2), (3, 16, 0))
]
"""Machines on which `TRIPS` is tried; lanes of different trips meet where splits are scarce."""


def _check(
    policy: Policy,
    fields: Mapping[str, st.SearchStrategy[Any]],
    examples: int,
    shrink: bool,
    base: Machine | None = None,
    also: Sequence[str] = (),
) -> None:
    """Run both passes: the plain engine over all examples, then the compiled one over the same.

    An engine takes seconds to compile, and what is wrong mostly shows without: what would crash the
    process compiled, as a wrong index, is an error in the plain one.
    """
    drawn = st.tuples(kernels(barriers_under_branches=True), st.fixed_dictionaries(dict(fields)))
    parts = _parts(policy, base, also)
    cycles: dict[str, int] = {}

    def plainly(example: tuple[Case, dict[str, Any]]) -> None:
        case, chosen = example
        simulator = Simulator(_fitting(case, chosen, base), policy, plain=True)
        _assert_memory(policy.name, case, _run(case, simulator, policy))
        _assert_lanes(case, simulator)
        cycles[_key(example)] = simulator.cycles

    def compiled(example: tuple[Case, dict[str, Any]]) -> None:
        case, chosen = example
        if _key(example) not in cycles:
            plainly(example)
        machine, took = _fitting(case, chosen, base), []
        for _ in range(2):
            simulator = Simulator(machine, policy)
            _assert_memory(policy.name, case, _run(case, simulator, policy))
            took.append(simulator.cycles)
        assert took[0] == took[1], f"two runs take different cycles: {took}\n{case}"
        plain = cycles[_key(example)]
        assert took[0] == plain, (
            f"compiled and plain engine take different cycles: {took[0]} and {plain}\n{case}"
        )

    first: dict[str, Any] = {"width": 4, "rows": 1, "issue": next(iter(sorted(policy.issue)), "")}
    plainly((LEAVING, {key: value for key, value in first.items() if key in fields}))
    # Both draw the same examples.
    seed = Identity(policy.name, parts).seed()
    for step in (plainly, compiled):
        identity = Identity(f"{policy.name} {step.__name__}", parts)
        check_examples(identity, drawn, step, examples, shrink=shrink, seed=seed)
        for like in TRIPS_MACHINES:
            chosen = {**first, **like}
            step((TRIPS, {key: value for key, value in chosen.items() if key in fields}))


def _key(example: tuple[Case, dict[str, Any]]) -> str:
    case, chosen = example
    return repr((case.source, case.geometry, case.arrays, sorted(chosen.items())))


def _parts(policy: Policy, base: Machine | None, also: Sequence[str]) -> list[str]:
    """Return what an outcome depends on: the settings, and the user's files by content."""
    names = [Path(file).name for file in policy.files]
    parts = [repr((policy.name, names, sorted(policy.settings.items())))]
    files = [*policy.files, *also]
    if base is not None:
        parts.append(base.name)
        files += files_of(configured(base, policy), policy)
    return parts + [
        Path(name).read_text(encoding="utf-8", errors="replace")
        for name in dict.fromkeys(files)
        if name.endswith(".py") and Path(name).is_file()
    ]


def _fitting(case: Case, fields: Mapping[str, Any], base: Machine | None) -> Machine:
    """Return a machine on which the case's workgroups fit."""
    items = int(np.prod(case.geometry.group_size))
    warps = min(64, -(-items // fields["width"]) + 1)
    if base is None:
        like = {**fields, "wpus": 2, "warps": warps}
        if rows := like.pop("rows", 0):
            like["policy.warp"] = min(rows, warps) * like["width"]
        return load("toy", like)
    table = base.model_dump()
    table.update(fields, wpus=min(2, base.wpus), warps=max(warps, base.warps))
    return Machine.model_validate(table)


def _run(case: Case, simulator: Simulator, policy: Policy) -> list[np.ndarray]:
    (function,) = case.module
    g = case.geometry
    launch = function.launch(
        items=g.items, group_size=g.group_size, scheme=policy.scheme, budget=BUDGET
    )
    arguments = case.arguments()
    try:
        launch.run_by(simulator.run, *arguments)
    except SimtError as stop:
        raise AssertionError(f"{policy.name}: {stop}\n{case}") from stop
    return [a for a in arguments if isinstance(a, np.ndarray)]


def _assert_memory(subject: str, case: Case, got: list[np.ndarray]) -> None:
    _, expected, trap = run_case(case, "oracle", budget=BUDGET)
    assert trap is None, f"the oracle traps: {trap}\n{case}"
    for number, (a, b) in enumerate(zip(got, expected, strict=True)):
        np.testing.assert_array_equal(
            a.view(np.uint8),
            b.view(np.uint8),
            f"{subject}: array {number} is not the oracle's\n{case}",
        )


def _assert_lanes(case: Case, simulator: Simulator) -> None:
    """Assert that work-items execute as many instructions as alone."""
    if SCHEMES[simulator.policy.scheme].explicit:
        return  # markers are instructions, too
    result, _, _ = run_case(case, width=simulator.width, budget=BUDGET, stats=True)
    assert result is not None
    assert result.statistics is not None
    found, wanted = _executed(simulator), result.statistics.thread_instructions
    assert found == wanted, (
        f"{simulator.policy.name}: work-items execute {found} instructions, alone {wanted}\n{case}"
    )


def _executed(simulator: Simulator) -> int:
    return int(simulator.state.rows["wpu"]["n_thread_instr"].sum())
