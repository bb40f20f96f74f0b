"""Random kernels with statistics: native code against the interpreter, for kernels of all kinds.

A launch is repeated with fresh arguments and with others, so that counts that are kept from an
earlier call are compared as well.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from simtlab.emu.analysis.analysis import KEPT as KEPT_ANALYSES
from simtlab.emu.analysis.counting import plan
from simtlab.emu.jit.launch.counting import layouts as counting
from simtlab.emu.recent import Recent
from simtlab.emu.traps import Trap, TrapKind
from simtlab.testing import Case, random_kernel
from simtlab.testing.agreement import assert_same_memory

from ..emu.support.counts import lanes_in_turn
from . import flats, grids, groups, guarded, loops, narrow, pressure, records, stacks, tiles, views
from .example import Example, Files, Generator, without_lines
from .kernels import LEVELS, Run, is_frame, packed
from .launches import BUDGET, KEPT

ALL = 1 << 22
"""Instructions of all work-items, at most: other numbers may make a loop endless."""


@dataclass
class Counted:
    """A kernel whose launches are counted, with the arguments of each of them."""

    case: Case
    how: Run
    """How native code runs, and in which warps instructions are counted."""
    calls: tuple[tuple[object, ...], ...]
    way: str = "usual"
    """How native code counts, also where another way would do: a key of `WAYS`."""
    shared: bool = False
    """Whether arrays of one size are one array, so that order decides what is left in it."""

    def run(self) -> str:
        with self.how.prepared(), WAYS[self.way]():
            return self._run()

    def _run(self) -> str:
        native, checked = (self._launch(engine) for engine in ("jit", "interp"))
        engines = set[str]()
        for number, given in enumerate(self.calls):
            case = replace(self.case, arrays=given)
            outcomes = []
            for launch in (native, checked):
                arguments = _as_one(case.arguments()) if self.shared else case.arguments()
                try:
                    outcomes.append((launch(*arguments), arguments))
                except Trap as trap:
                    outcomes.append((trap, arguments))
            (result, got), (wanted, expected) = outcomes
            if isinstance(wanted, Trap) and wanted.record.kind is TrapKind.BUDGET:
                return "exhausted"  # native code may notice later
            traps = isinstance(result, Trap), isinstance(wanted, Trap)
            assert len(set(traps)) == 1, f"only one engine traps in call {number}"
            if any(traps):
                return "traps"
            engines.add(result.engine)
            assert_same_counts(f"call {number} by {result.engine}", wanted, result, case)
            assert_same_memory("native code", _arrays(expected), _arrays(got), case)
        return "counted" if engines == {"jit"} else "left"

    def _launch(self, engine: str) -> Any:
        (function,) = self.case.module
        geometry = self.case.geometry
        return function.launch(
            items=geometry.items, group_size=geometry.group_size, warp=self.how.width,
            engine=engine, budget=min(BUDGET, ALL // geometry.n_items), stats=True,
        )  # fmt: skip

    def files(self) -> Files:
        text = REPRODUCE.format(how=self.how, way=self.way, shared=self.shared)
        return {**packed(self.case), "reproduce.py": text}

    def smaller(self) -> Iterator[Example]:
        for call in self.calls if len(self.calls) > 1 else ():
            yield replace(self, case=replace(self.case, arrays=call), calls=(call,))
        for text in without_lines(self.case.source, _is_frame):
            yield replace(self, case=replace(self.case, source=text))


@contextmanager
def without_layouts() -> Iterator[None]:
    """Let no layout of a kernel run what the stack runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "stack_flow", lambda *_: None)
        patch.setattr(plan, "_LATEST", Recent(KEPT_ANALYSES))
        patch.setattr(counting, "_COUNTED", Recent())
        yield


@contextmanager
def in_order() -> Iterator[None]:
    """Let every launch that is counted run in the interpreter's order."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "can_count", lambda *_: False)
        yield


@contextmanager
def in_turn() -> Iterator[None]:
    """Do the same, lane after lane where there is a loop for that."""
    with in_order(), lanes_in_turn():
        yield


WAYS: dict[str, Callable[[], AbstractContextManager[None]]] = {
    "usual": nullcontext,
    "splits": without_layouts,
    "order": in_order,
    "turns": in_turn,
}
"""By a layout of the code if there is one; by warp-splits; in the interpreter's order."""


def assert_same_counts(subject: str, wanted: Any, result: Any, case: Case) -> None:
    """Assert that two results have the same counts, those of each instruction included."""
    expected, got = wanted.statistics, result.statistics
    for name in ("executions", "lanes"):
        a, b = getattr(expected, name), getattr(got, name)
        different = np.flatnonzero(a != b).tolist()
        assert not different, (
            f"{subject}: {name} differ at pc {different}: {a[different]}, here {b[different]}"
            f"\n{case}"
        )
    assert expected.to_dict() == got.to_dict(), (
        f"{subject}: {expected.to_dict()}, here {got.to_dict()}\n{case}"
    )


def _as_one(arguments: tuple[object, ...]) -> tuple[object, ...]:
    """Return arguments in which the first array of each size and type stands for all of them."""
    firsts: dict[object, np.ndarray] = {}
    return tuple(
        firsts.setdefault((a.dtype, a.shape), a) if isinstance(a, np.ndarray) else a
        for a in arguments
    )


def _arrays(arguments: tuple[object, ...]) -> list[np.ndarray]:
    return [a for a in arguments if isinstance(a, np.ndarray)]


def _is_frame(line: str) -> bool:
    return is_frame(line) or line.startswith("@done") or KEPT in line


REPRODUCE = """\
from pathlib import Path

from tests.fuzz.counts import Counted
from tests.fuzz.kernels import Run, case_of

case = case_of(Path(__file__).parent)
print(Counted(case, {how!r}, (case.arrays,) * 2, {way!r}, {shared!r}).run())
"""

MAKERS: tuple[Callable[[random.Random], Case], ...] = (
    lambda rng: random_kernel(rng, barriers_under_branches=False, largest_group=128),
    lambda rng: tiles.make(rng)[0], grids.make, loops.make, groups.make, groups.make,
    pressure.make, records.make, views.make, stacks.make, narrow.make, flats.make, guarded.make,
)  # fmt: skip

CROSSING = (
    "activelaneid_u32 $s62",
    "activelanecount_u32 $s62, $c{c}",
    "activelanemask_u64 $d62, $c{c}",
    "activelaneany_b1 $c{c}, $c{c}",
    "activelaneall_b1 $c{c}, $c{c}",
    "activelanepermute_u32 $s62, $s{s}, $s{t}",
)
"""Instructions across the lanes that issue together: their results go to $s62, $d62 or $c{c}."""


def crossed(rng: random.Random, source: str) -> str:
    """Return a kernel some of whose values come from other lanes."""
    lines = source.splitlines()
    values = [
        at for at, line in enumerate(lines) if re.match(r"    (add|xor|mad|mul)_u32 \$s", line)
    ]
    for at in sorted(rng.sample(values, min(len(values), rng.randint(1, 4))), reverse=True):
        numbers = {"c": rng.randrange(3), "s": rng.randrange(20), "t": rng.randrange(20)}
        lines.insert(at + 1, "    " + rng.choice(CROSSING).format(**numbers))
        to = lines[at].split()[1].rstrip(",")
        if "$s62" in lines[at + 1] and to not in ("$s40", "$s0") and rng.random() < 0.7:
            lines.insert(at + 2, f"    xor_u32 {to}, {to}, $s62")
    return "\n".join(lines) + "\n"


def draw(rng: random.Random) -> Counted:
    """A kernel of another generator, with its own numbers and with others."""
    case = rng.choice(MAKERS)(rng)
    source = crossed(rng, case.source) if rng.random() < 0.2 else case.source
    case = Case(source, case.geometry, case.arguments())
    other = list(case.arrays)
    for at, value in enumerate(other):
        if isinstance(value, (int, np.integer)) and rng.random() < 0.5:
            other[at] = type(value)(abs(int(value) - rng.choice((0, 1))))
    calls = (case.arrays, case.arrays, tuple(other), case.arrays)
    width = rng.choice((case.geometry.width, 32, 32, 64, 16, 8, 7, 1, rng.randint(1, 64)))
    how = Run(
        "jit", width=width, level=rng.choice(LEVELS), poisoned=rng.random() < 0.3,
        order=rng.choice(("usual", "threads", "backwards")), many=rng.random() < 0.5,
    )  # fmt: skip
    way = rng.choice((*WAYS, "usual"))
    shared = way in ("order", "turns") and rng.random() < 0.5
    return Counted(case, how, calls[: rng.randint(1, 4)], way, shared)


GENERATOR = Generator("counts", lambda scratch, rng: draw, 120.0, 3.0)
