"""The worked scenarios of large warps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import simtlab
from simtlab.emu.traps import Trap
from simtlab.isa.errors import UsageError
from simtlab.timing.compiler.files import configured, find
from simtlab.timing.machines import machine as machines
from simtlab.timing.simulation.simulator import Simulator

from ...support.barrel import GOES_HOME, barrel
from ...support.lwm_scenarios import F7, F7_ROWS, FORK, X1
from ...support.scenarios import Scenario, alu, ld, script
from ...support.tables import BOTH

DWF = ("dwf.majority", "dwf.pdom")


@dataclass(frozen=True)
class SubWarp:
    """A sub-warp when it issues: lanes by row, and the state of its large warp."""

    t: int
    seg: int
    rows: dict[int, str]
    mask: str
    stack: str
    """(rec, mask, exec) from the top down."""
    lines: int = 1


class SubWarps:
    """The sub-warps of a scenario that runs plain; one large warp, `toy` has the totals."""

    def __init__(self, scenario: Scenario, policy: str = "lwm", **fields: Any) -> None:
        self.found: list[SubWarp] = []
        with ExitStack() as undo:
            self.toy = barrel(scenario, policy, prepare=partial(self._watch, undo), **fields)

    def at(self, seg: int) -> list[SubWarp]:
        """Those of an instruction."""
        return [s for s in self.found if s.seg == seg]

    def _watch(self, undo: ExitStack, sim: Simulator) -> None:
        self.sim = sim
        space = vars(sim.composition.namespace)
        self._charge, self._ask = space["charge_sub_warp"], space["simd_access"]
        watch = {"charge_sub_warp": self._issue, "simd_access": self._access}
        undo.enter_context(patch.dict(space, watch))

    def _issue(self, S: Any, w: int, g: int, lanes: int, t: int) -> int:
        rows = self.sim.state.rows
        parts = list(self._parts(g))
        self.found.append(
            SubWarp(
                t,
                int(rows["group"]["seg"][g]),
                {
                    row: self._text(rows["part"]["chosen"][h])
                    for row, h in enumerate(parts)
                    if rows["part"]["chosen"][h]
                },
                "/".join(self._text(rows["group"]["mask"][h]) for h in parts),
                self._stack(parts),
            )
        )
        return self._charge(S, w, g, lanes, t)

    def _access(self, S: Any, w: int, g: int, lanes: int, t: int) -> int:
        ready = self._ask(S, w, g, lanes, t)
        self.found[-1] = replace(self.found[-1], lines=int(S.access_bubbles) + 1)
        return ready

    def _parts(self, g: int) -> Iterator[int]:
        while g >= 0:
            yield g
            g = int(self.sim.state.rows["part"]["next"][g])

    def _stack(self, parts: list[int]) -> str:
        """As LWM-03 has it: the top, where the warp is, is no entry.

        An entry comes up when the one above it is at its re-convergence point, which is its `rec`.
        """
        rows, depth = self.sim.state.rows, int(self.sim.state.S.stack_depth)
        warps = [int(rows["group"]["warp"][h]) for h in parts]
        height = {int(rows["warp"]["depth"][v]) for v in warps}
        assert len(height) == 1, "rows have stacks of different depths"
        lead = rows["stack"][warps[0] * depth :]
        return "".join(
            f"({lead['rpc'][i + 1]},"
            + "/".join(self._text(rows["stack"]["mask"][v * depth + i]) for v in warps)
            + f",{lead['seg'][i]})"
            for i in reversed(range(height.pop() - 1))
        )

    def _text(self, mask: Any) -> str:
        return "".join("1" if int(mask) >> i & 1 else "0" for i in range(self.sim.width))


A, B, C, D = 0, 1, 3, 4


def test_figure_3_the_stack_of_a_warp() -> None:
    found = SubWarps(FORK, rows=1).found
    assert [(s.seg, s.mask, s.stack) for s in found] == [
        (A, "1111", ""),
        (B, "1011", f"({D},0100,{C})({D},1111,{D})"),
        (2, "1011", f"({D},0100,{C})({D},1111,{D})"),
        (C, "0100", f"({D},1111,{D})"),
        (D, "1111", ""),
    ]


def test_figures_4_and_5_the_geometry_of_the_mask() -> None:
    """Thread t stands in row t div N, column t mod N."""
    for thread in range(12):
        only = "".join("1" if t == thread else "0" for t in range(12))
        scenario = replace(FORK, warps=3, workgroup=3, masks={"c0": only})
        (sub,) = SubWarps(scenario, rows=3).at(C)
        assert sub.rows == {thread // 4: "".join("01"[i == thread % 4] for i in range(4))}


def test_figure_7_sub_warps_of_a_divergent_large_warp() -> None:
    run = SubWarps(F7, rows=8)
    assert [(s.t, s.rows) for s in run.at(1)] == [
        (14, {0: "1011", 1: "0100"}),
        (15, {2: "0011", 3: "1000", 5: "0100"}),
        (16, {4: "0010", 5: "0001", 6: "1000", 7: "0100"}),
        (17, {6: "0001"}),
    ]
    assert {s.mask for s in run.at(1)} == {F7_ROWS}


@BOTH
def test_figure_7_cycles(plain: bool) -> None:
    toy = barrel(F7, "lwm", rows=8, plain=plain)
    # Eight sub-warps for the branch, four, eight for `ret`; each 7 + (k - 1) cycles.
    assert (toy.issued, toy.cycles) == (8 + 4 + 8, 14 + 10 + 14)
    assert toy.mean_width == (32 + 13 + 32) / 20
    # The baseline issues every row: none of them is empty.
    conv = barrel(F7, "conv", plain=plain)
    assert conv.issued == 8 + 8 + 8


def test_figure_7_fetch_is_stalled_until_the_last_sub_warp() -> None:
    two = replace(F7, warps=16, masks={"c0": F7.masks["c0"] * 2})
    times = [s.t for s in SubWarps(two, rows=8).at(1)]
    # Of the branch: 0 to 7 and 8 to 15; the first one is back at 14 and has to wait for 16.
    assert times == [16, 17, 18, 19, 22, 23, 24, 25]


def test_x1_a_large_warp_diverges() -> None:
    found = SubWarps(X1, rows=2).found
    full, b, c = "1111/1111", "1010/0101", "0101/1010"
    below = f"({D},{full},{D})"
    assert [(s.t, s.seg, s.rows, s.mask, s.stack) for s in found] == [
        (0, A, {0: "1111"}, full, ""),
        # The first sub-warp has executed the branch: nothing has changed.
        (1, A, {1: "1111"}, full, ""),
        (8, B, {0: "1010", 1: "0101"}, b, f"({D},{c},{C}){below}"),
        (15, 2, {0: "1010", 1: "0101"}, b, f"({D},{c},{C}){below}"),
        (22, C, {0: "0101", 1: "1010"}, c, below),
        (29, D, {0: "1111"}, full, ""),
        (30, D, {1: "1111"}, full, ""),
    ]
    assert barrel(X1, "conv").issued == 2 * 5


X2 = replace(
    F7,
    body="""workitemabsid_u32 $s0, 0
    cvt_u64_u32 $d1, $s0
    ld_kernarg_u64 $d0, [%memory]
    mad_u64 $d0, $d1, 4, $d0
    cbr $c0, @X
    ld_global_u32 $s1, [$d0]
    @X: ret
    """,
)
ROW_SIZED = {"memory": "gpu", "l1d.size": 1024, "l1d.ways": 4, "l1d.line": 16, "l1d.targets": 0}


@pytest.mark.parametrize(
    ("by_rows", "lines"), [(True, [1] * 8), (False, [2, 3, 4, 1])], ids=["rows", "packed"]
)
def test_x2_accesses_row_by_row(by_rows: bool, lines: list[int]) -> None:
    run = SubWarps(X2, rows=8, **{"policy.memory-rows": by_rows}, **ROW_SIZED)
    loaded = run.at(5)
    assert [s.lines for s in loaded] == lines
    # One line after the other: the next sub-warp has to wait for the port.
    first = loaded[0].t
    assert [s.t - first for s in loaded] == [sum(lines[:i]) for i in range(len(lines))]


@BOTH
@pytest.mark.parametrize(("once", "jump", "riding"), [(True, 1, 7 * 32), (False, 8, 0)])
def test_x3_a_jump_takes_one_cycle(once: bool, jump: int, riding: int, plain: bool) -> None:
    scenario = Scenario(f"{alu(1)} br @X\n @X: ret\n", width=32, warps=8, workgroup=8)
    toy = barrel(scenario, "lwm", rows=8, plain=plain, **{"policy.jump-once": once})
    assert (toy.issued, toy.cycles) == (8 + jump + 8, 14 + 6 + jump + 14)
    assert toy.wpu["n_thread_instr"] == 3 * 256
    assert toy.wpu["n_riding"] == riding
    assert toy.sim.statistics().mean_width == 32


@pytest.mark.parametrize(
    ("large", "k", "busy"),
    [
        *((4, 1, 4 / 7), (4, 2, 1), (4, 5, 1), (4, 8, 1)),
        *((2, 1, 2 / 7), (2, 2, 4 / 8), (2, 4, 8 / 10), (2, 5, 10 / 11), (2, 6, 1), (2, 8, 1)),
    ],
)
def test_x4_occupancy(large: int, k: int, busy: float) -> None:
    """Of `large` large warps with k sub-warps each."""

    def cycles(n: int) -> int:
        scenario = Scenario(
            f"cbr $c0, @X\n {alu(n)} @X: ret\n",
            width=1,
            warps=8 * large,
            workgroup=8,
            masks={"c0": ("0" * k + "1" * (8 - k)) * large},
        )
        return barrel(scenario, "lwm", rows=8).cycles

    assert 10 * large * k / (cycles(20) - cycles(10)) == busy


def test_x4_as_many_warps_as_ever_without_large_ones() -> None:
    def cycles(n: int) -> int:
        scenario = Scenario(f"{alu(n)} ret\n", width=1, warps=32)
        return barrel(scenario, "conv").cycles

    assert 10 * 32 / (cycles(20) - cycles(10)) == 1


@pytest.mark.parametrize(("width", "word", "extra"), [(2, 1, 0), (2, 32, 1), (4, 32, 3)])
def test_banks_of_group_memory_serve_a_sub_warp(width: int, word: int, extra: int) -> None:
    """The first half of a row and the second of the other, in one sub-warp, use one bank or not."""
    body = f""".group u32 area[256]
    workitemid_u32 $s0, 0
    mul_u32 $s0, $s0, {4 * word}
    and_u32 $s0, $s0, 1023
    cbr $c0, @X
    st_group_u32 $s8, [area + $s0]
    @X: ret
    """
    # Each work-item has its multiple of `word`; those in the middle do without the store.
    half = width // 2
    masks = {"c0": "0" * half + "1" * width + "0" * half}
    toy = barrel(Scenario(body, width=width, warps=2, workgroup=2, masks=masks), "lwm", rows=2)
    assert toy.slots["unit"] == extra
    assert toy.cycles == 4 * 8 + 7 + extra + 8


@pytest.mark.parametrize(("answers", "cycles", "waits"), [("mh", 14, 8), ("hm", 15, 9)])
def test_a_large_warp_waits_for_memory_if_one_sub_warp_does(answers, cycles, waits) -> None:
    # The rows access at 0 and 1. Data come after ten cycles, two sub-warps each issue twice then.
    body = f"{ld('d0')} {alu(1)} ret\n"
    rows = Scenario(body, width=1, warps=2, workgroup=2, lines={"d0": "ab"}, script=script(answers))
    toy = barrel(rows, "lwm", rows=2, pipeline=1)
    assert toy.cycles == cycles
    assert {cause: n for cause, n in toy.slots.items() if n} == {"issued": 6, "memory": waits}


FOUR = [("lwm", {"policy.warp": 8}), ("lwm", {"policy.warp": 4}), *((p, {}) for p in DWF)]


@pytest.mark.parametrize(("policy", "fields"), FOUR)
@pytest.mark.parametrize("who", [0b1, 0b10000000, 0b1111, 0b11110000, 0b10101010])
def test_work_items_that_have_returned_may_count_as_arrived(policy, fields, who) -> None:
    x = np.array([0 if who >> i & 1 else 9 for i in range(16)], np.uint32)
    fields = {"issue": "barrel", "width": 4, "warps": 4, "memory": "ideal", **fields}
    options = {"policy": policy, "set": fields, "groups": 2, "group_size": 8, "plain": True}
    kernel = simtlab.assemble(GOES_HOME).k
    with pytest.raises(Trap, match="barrier"):
        simtlab.simulate(kernel, machine="toy", **options)(16, x.copy())
    simtlab.simulate(kernel, machine="toy", exited_arrive=True, **options)(16, x)
    assert x.tolist() == [0 if who >> i & 1 else i for i in range(8)] + list(range(8, 16))


def test_rows_wait_for_what_their_large_warp_waits_for() -> None:
    """The report names each row with its own lanes, and names none twice."""
    x = np.array([0, 9, 9, 9, 9, 9, 9, 9], np.uint32)
    kernel = simtlab.assemble(GOES_HOME).k
    fields = {"issue": "barrel", "width": 4, "warps": 4, "memory": "ideal", "policy.warp": 8}
    with pytest.raises(Trap) as caught:
        simtlab.simulate(
            kernel, machine="toy", policy="lwm", set=fields, groups=1, group_size=8, plain=True
        )(8, x)
    notes = [n.message for d in caught.value.diagnostics for n in d.notes]
    waits = [n.partition(", lanes ")[2] for n in notes if "lanes " in n]
    assert waits == ["0111: waits: barrier", "1111: waits: barrier"]


@pytest.mark.parametrize(("policy", "fields"), FOUR)
def test_a_trap_names_its_work_item(policy, fields) -> None:
    text = GOES_HOME.replace("barrier", "sub_u32 $s2, $s1, $s1\ndiv_u32 $s1, $s0, $s2")
    fields = {"issue": "barrel", "width": 4, "warps": 4, "memory": "ideal", **fields}
    x = np.zeros(16, np.uint32)
    x[13] = 1
    launch = simtlab.simulate(
        simtlab.assemble(text).k,
        machine="toy",
        policy=policy,
        set=fields,
        groups=2,
        group_size=8,
        plain=True,
    )
    with pytest.raises(Trap) as caught:
        launch(16, x)
    assert "13" in str(caught.value)


def test_a_barrier_of_large_warps() -> None:
    """Both large warps of a workgroup wait for the slower one (LWM-22)."""
    body = f"cbr $c0, @X\n {alu(5)} @X: barrier\n ret\n"
    scenario = Scenario(body, width=2, warps=4, workgroup=4, masks={"c0": "11110000"})
    run = SubWarps(scenario, rows=2)
    arrived, left = [s.t for s in run.at(6)], [s.t for s in run.at(7)]
    # The first one is at the barrier at 8; the other one behind its five instructions.
    assert arrived == [8, 9, 50, 51]
    assert left == [58, 59, 60, 61]


@pytest.mark.parametrize(
    ("machine", "policy", "fields", "message"),
    [
        ("dws", "lwm", {}, "for machines that issue by barrel"),
        ("dws", "dwf.majority", {}, "for machines that issue by barrel"),
        ("lwm", "lwm", {"policy.warp": 100}, "a multiple of 32"),
        ("lwm", "lwm", {"policy.warp": 0}, "a whole number from 1 on"),
        ("lwm", "lwm", {"policy.warp": 2048}, "at most 1,024"),
        ("lwm", "dwf.pdom", {"policy.priority": "eldest"}, "majority or pdom"),
    ],
)
def test_what_cannot_be(machine: str, policy: str, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        configured(machines.load(machine, fields), find(policy))
