"""The page shows the state of every cycle of the papers' figures, reached by stepping.

What it shows is read from its tables and compared with the history of the recording, whose own
values are written out in tests/timing; the first and last test write some of them out here, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.wording import mask_text
from simtlab.recording.history import History as history_of
from simtlab.recording.recording import Recording

from ..quick import few
from ..recording.support.diamond import DIAMOND
from ..timing.support import lwm_scenarios, ppc_scenarios, scenarios
from ..timing.support.barrel import loads
from ..timing.support.history import History
from .support.browse import Shown

Show = Callable[..., Shown]


class Places:
    """Names of pcs as the papers have them: the block's label."""

    def __init__(self, recording: Recording) -> None:
        labels = recording.facts["kernels"][0]["labels"]
        self._starts = sorted((pc, name) for name, pc in labels.items() if name[0].isupper())

    def of(self, pc: str) -> str:
        if pc == "-":
            return "-"
        return [name for start, name in self._starts if start <= int(pc)][-1]


def at(changes: dict[int, Any], t: int) -> Any:
    """Return the value of a dict of changes at t."""
    return changes[max(time for time in changes if time <= t)]


def stack_text(shown: Shown, places: Places) -> str:
    rows = shown.rows("stack")
    return (
        "".join(f"({places.of(pc)},{places.of(rpc)},{mask})" for pc, rpc, mask in reversed(rows))
        or "-"
    )


FIGURES = [
    ("F3", "conv"),
    ("F4", "dws.branch-only"),
    ("F6", "dws.branch-only"),
    ("F6B", "dws.branch-only"),
    ("F8", "dws.lazy-split"),
    ("F9", "dws.lazy-split"),
    ("F12", "dws.lazy-split"),
    ("X6", "dws.branch-only.stack"),
    ("X9", "dws.lazy-split"),
    ("F10", "dws.lazy-split"),
    ("F10", "dws.revive-split"),
    # Figures 3 and 4 of MAWS are the same programs.
    ("F8", "maws.lazy-split"),
    ("F9", "maws.lazy-split"),
    ("F12", "maws.lazy-split"),
]
"""Scenarios, and the policies that they are shown under."""


@pytest.mark.parametrize("figure", few(FIGURES, 3), ids=" ".join)
def test_every_cycle_of_a_figure(show: Show, figure: tuple[str, str]) -> None:
    name, policy = figure
    fields: dict[str, Any] = {"scheduler": "fifo"} if policy.startswith("maws") else {}
    recording = History(getattr(scenarios, name), policy, **fields).recording
    history = history_of(recording, [0])
    shown, places = show(recording), Places(recording)
    for t in range(recording.begin, recording.end):
        assert shown.t == t
        state = recording.state(0, t)
        expected = at(history.stack, t)
        found = stack_text(shown, places)
        # While groups run, the page shows the pc of the top's group, or none for several.
        top = state.get("stack", [[None, None, "0"]])[-1]
        inside = [g for g in state.get("groups", ()) if int(g["mask"], 16) & int(top[2], 16)]
        inside += [w for w in state.get("waiting", ()) if int(w[0], 16) & int(top[2], 16)]
        rest, _, last = found.rpartition("(")
        want_rest, _, want_last = expected.rpartition("(")
        assert (rest, last.partition(",")[2]) == (want_rest, want_last.partition(",")[2]), t
        if len(inside) > 1:
            assert last.startswith("-,"), t
        assert groups_of(shown, recording, t) == masks_of(state), t
        issued = at(history.issued, t).split("@")[0]
        lanes = shown.lanes()
        assert "".join("1" if c == "I" else "0" for c in lanes) == (
            issued if issued != "-" else "0" * recording.width
        ), t
        shown.click("Forward one cycle")
    assert shown.t == recording.end - 1


def masks_of(state: dict[str, Any]) -> set[int]:
    groups = {int(g["mask"], 16) for g in state.get("groups", ())}
    return groups | {int(w[0], 16) for w in state.get("waiting", ())}


def groups_of(shown: Shown, recording: Recording, t: int) -> set[int]:
    """Return the masks of paths that do not wait on the stack."""
    found = {
        sum(1 << lane for lane, bit in enumerate(mask) if bit == "1")
        for mask, text in shown.paths()
        if "on the stack" not in text
    }
    table = shown.rows("splits")
    if table:
        masks = {sum(1 << i for i, bit in enumerate(row[0]) if bit == "1") for row in table}
        assert masks == found, t
    return found


def test_figure_3_of_dws_written_out(show: Show) -> None:
    recording = History(scenarios.F3, "conv").recording
    shown, places = show(recording), Places(recording)
    table = {
        0: ["A - 11111111"],
        2: ["B D 11111001", "C D 00000110", "D - 11111111"],
        6: ["C D 00000110", "D - 11111111"],
        8: ["D - 11111111"],
    }
    for t, rows in table.items():
        shown.goto(t)
        found = [
            f"{places.of(pc)} {places.of(rpc)} {mask}" for pc, rpc, mask in shown.rows("stack")
        ]
        assert found == rows, t


def test_figure_12_of_dws_written_out(show: Show) -> None:
    recording = History(scenarios.F12, "dws.lazy-split").recording
    shown = show(recording)
    table = {
        1: [],
        2: ["11100000 ready", "00011001 wait"],
        5: ["11000000 ready", "00100000 wait", "00011001 wait"],
        8: ["11000000 rpc-wait", "00100000 wait", "00011001 wait"],
        17: ["11000000 rpc-wait", "00111001 run"],
        19: [],
        21: [],
    }
    for t, rows in table.items():
        shown.goto(t)
        found = [f"{mask} {status}" for mask, _, status in shown.rows("splits")]
        # A split that can go on at once is ready or runs, by the convention of the recorder.
        assert sorted(r.split()[0] for r in found) == sorted(r.split()[0] for r in rows), t
        for row in rows:
            if not row.endswith(("ready", "run")):
                assert row in found, t
    shown.goto(2)
    texts = dict(shown.paths())
    assert "waits for memory until cycle 14" in texts["00011001"]


def recorded(scheme: str) -> Recording:
    kernel = simtlab.assemble(DIAMOND)["diamond"]
    launch = simtlab.record(kernel, groups=1, group_size=8, warp=8, scheme=scheme)
    return launch(np.zeros(8, np.int32))


@pytest.mark.parametrize("scheme", ["stack", "ppc", "per-thread"])
def test_every_step_of_a_scheme(show: Show, scheme: str) -> None:
    recording = recorded(scheme)
    shown = show(recording)
    for t in range(recording.begin, recording.end):
        state = recording.state(0, t)
        stack = [
            [_text(pc), _text(rpc), mask_text(int(mask, 16), 8)]
            for pc, rpc, mask in state.get("stack", ())
        ]
        assert list(reversed(shown.rows("stack"))) == stack, t
        pairs = [
            [str(pc), mask_text(int(m, 16), 8), str(other), mask_text(int(o, 16), 8)]
            for pc, m, other, o in state.get("pairs", ())
        ]
        assert list(reversed(shown.rows("pairs"))) == pairs, t
        if scheme == "per-thread" and state:
            pcs = {}
            for mask, pc in [(g["mask"], g["pc"]) for g in state["groups"]] + [
                (w[0], w[1]) for w in state.get("waiting", ())
            ]:
                pcs |= {lane: str(pc) for lane in range(8) if int(mask, 16) >> lane & 1}
            assert shown.rows("threads") == [[pcs.get(lane, "-") for lane in range(8)]], t
        issue = next(i for i in recording.issues if i["t"] == t)
        text = recording.facts["kernels"][0]["instructions"][int(issue["pc"])]
        assert shown.line() == text["line"]
        shown.press("ArrowRight")


def _text(pc: int | None) -> str:
    return "-" if pc is None else str(pc)


def test_pairs_of_the_diamond_written_out(show: Show) -> None:
    shown = show(recorded("ppc"))
    shown.goto(3)
    assert shown.rows("pairs") == [["4", "01010101", "6", "10101010"]]
    shown.goto(5)
    assert shown.rows("pairs") == [["6", "10101010", "8", "01010101"]]
    shown.goto(7)
    assert shown.rows("pairs") == []


@pytest.mark.parametrize("name", ["IF_ELSE", "NESTED", "LOOP"])
def test_every_cycle_of_a_figure_of_ppc(show: Show, name: str) -> None:
    """Figures 3, 4 and 5: the entries of the dual-path stack, the current side first."""
    recording = History(getattr(ppc_scenarios, name), "ppc").recording
    shown, width = show(recording), recording.width
    deepest = 0
    for t in range(recording.begin, recording.end):
        state = recording.state(0, t)
        pairs = [
            [
                str(pc),
                mask_text(int(mask, 16), width),
                str(other),
                mask_text(int(others, 16), width),
            ]
            for pc, mask, other, others in state.get("pairs", ())
        ]
        found = list(reversed(shown.rows("pairs")))
        # The side that runs moves on within an issue.
        assert [row[1:] for row in found] == [row[1:] for row in pairs], t
        assert [row[0] for row in found[:-1]] == [row[0] for row in pairs[:-1]], t
        deepest = max(deepest, len(pairs))
        shown.click("Forward one cycle")
    assert deepest == {"IF_ELSE": 1, "NESTED": 2, "LOOP": 3}[name]


BARREL: dict[str, Any] = {"issue": "barrel", "pipeline": 7}


def test_figure_7_of_lwm_written_out(show: Show) -> None:
    """Rows of 13 active lanes are broken down into four sub-warps, in cycles 14 to 17."""
    fields = {**BARREL, "policy.warp": 32}
    shown = show(History(lwm_scenarios.F7, "lwm", **fields).recording)
    shown.goto(14)
    assert ["".join(row) for row in shown.rows("pack")] == [
        "1011", "0100", "0022", "2000", "0030", "0203", "3004", "0300",
    ]  # fmt: skip


def test_figures_4_to_6_of_lwm_written_out(show: Show) -> None:
    """A large warp of two rows diverges: each path packs the lanes of both rows."""
    fields = {**BARREL, "policy.warp": 8}
    shown = show(History(lwm_scenarios.X1, "lwm", **fields).recording)
    table = {0: ["1111", "2222"], 8: ["1010", "0101"], 22: ["0101", "1010"], 29: ["1111", "2222"]}
    for t, rows in table.items():
        shown.goto(t)
        assert ["".join(row) for row in shown.rows("pack")] == rows, t


F8 = replace(loads(16, 1), miss=100)
LOAD = "ld_global_u32"


@pytest.fixture(scope="module")
def figure_8() -> dict[str, Recording]:
    return {
        "round-robin": History(F8, "conv", **BARREL, scheduler="rr").recording,
        "two-level": History(F8, "two-level", **BARREL).recording,
    }


@pytest.mark.parametrize(
    ("name", "places"),
    [
        # Warp, the cycle in which it issues its load, and one in which nothing issues.
        ("round-robin", [(0, 160, 259), (7, 167, 176), (8, 168, 200), (15, 175, 259)]),
        ("two-level", [(0, 80, 179), (7, 87, 176), (8, 168, 260), (15, 175, 267)]),
    ],
)
def test_figure_8_of_lwm_written_out(
    show: Show, figure_8: dict[str, Recording], name: str, places: list[tuple[int, int, int]]
) -> None:
    """Sixteen warps miss once each: at the same time, or one fetch group after the other."""
    shown = show(figure_8[name])
    for warp, load, idle in places:
        shown.choose("warp", str(warp))
        shown.goto(load)
        assert shown.step.startswith(f"Cycle {load}. Warp {warp} issues {LOAD} "), name
        shown.goto(load + 1)
        text = f"waits for the bus and DRAM, until cycle {load + 100}."
        assert shown.step.endswith(text), name
        for other in (0, 7, 8, 15):
            shown.choose("warp", str(other))
            shown.goto(idle)
            assert " issues " not in shown.step.replace("issues nothing", ""), (name, idle)


def test_while_the_second_fetch_group_misses_the_first_one_issues(
    show: Show, figure_8: dict[str, Recording]
) -> None:
    """Group 0 has its data at 180: it issues from then on, and group 1 not before 268."""
    shown = show(figure_8["two-level"])
    table = {88: 8, 168: 8, 175: 15, 180: 0, 187: 7, 259: 7, 268: 8, 347: 15}
    for t, warp in table.items():
        for other in (0, 7, 8, 15):
            shown.choose("warp", str(other))
            shown.goto(t)
            issues = f"Warp {other} issues " in shown.step and "nothing" not in shown.step
            assert issues == (other == warp), (t, other)


def test_figure_8_of_lwm_compared(show: Show, figure_8: dict[str, Recording]) -> None:
    """The page of both runs has the figure's numbers: 84 idle cycles, or 12; 72 cycles saved."""
    shown = show(*figure_8.values())
    rows = dict(
        shown.page.eval_on_selector_all(
            ".compare tr",
            "rows => rows.map(r => [r.cells[0].textContent, "
            "[...r.cells].slice(1).map(c => c.textContent)])",
        )
    )
    assert rows["idle cycles"] == ["84", "12"]
    assert rows["– memory"] == ["84", "12"]
    # The paper's run ends when the last instruction leaves the pipeline, six cycles later.
    assert rows["cycles"] == [f"{426 - 6}", f"{354 - 6}"]


def test_sub_warps_of_a_large_warp(show: Show) -> None:
    source = "kernel k(u32 %n) {\n" + "    workitemid_u32 $s0, 0\n    and_u32 $s1, $s0, 1\n"
    source += (
        "    cmp_eq_u32 $c0, $s1, 0\n    cbr $c0, @C\n    add_u32 $s2, $s0, 1\n@C:\n    ret\n}\n"
    )
    launch = simtlab.record(
        simtlab.assemble(source)["k"], machine="lwm", policy="lwm", items=128, group_size=128
    )
    recording = launch(1)
    odd = next(i for i in recording.issues if int(i["mask"]) == 0xAAAAAAAA)
    shown = show(recording, hash=f"#t={int(odd['t'])}&warp=0")
    rows = shown.rows("pack")
    assert len(rows) == 4
    numbers = [[int(n) for n in row] for row in rows]
    assert all(n == 0 for row in numbers for n in row[::2])
    # Lanes stay in their column, so that four rows of odd lanes take four sub-warps.
    for column in range(1, 32, 2):
        assert sorted(row[column] for row in numbers) == [1, 2, 3, 4]
