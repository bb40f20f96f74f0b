"""The timing engine against plain models of the papers' toy machine (support/models).

The models are written from the papers. First each one does the papers' worked examples. Then engine
and model execute random programs, and must issue the same instructions in the same lanes and
cycles.
"""

from __future__ import annotations

from collections import deque
from functools import partial

import pytest

from .support.models import barrel, cases
from .support.models.compare import (
    TRACES,
    barrel_difference,
    difference,
    engine_widths,
    trace_difference,
)
from .support.models.figures import FIGURES
from .support.models.pairs import PairedPaths, per_thread
from .support.models.splits import CHOICES, POLICIES, Choices, Policy, Wpu
from .support.models.text import scenario
from .support.toy import Toy

SPLITS = [
    # example, policy, cycles, idle cycles
    ("DWS Fig. 3", "conv", 12, 0),
    ("DWS Fig. 4", "conv", 26, 9),
    ("DWS Fig. 4", "dws.branch-only.stack", 20, 0),
    ("DWS Fig. 5", "conv", 38, 22),
    ("DWS Fig. 5", "dws.branch-only.stack", 31, 10),
    ("DWS Fig. 6", "conv", 29, 9),
    ("DWS Fig. 6", "dws.branch-only.stack", 26, 0),
    ("DWS Fig. 6, missing in F", "conv", 38, 18),
    ("DWS Fig. 6, missing in F", "dws.branch-only.stack", 32, 6),
    ("DWS Fig. 6, missing in F", "dws.branch-only", 27, 6),
    ("DWS Fig. 8", "conv", 47, 38),
    ("DWS Fig. 8", "dws.aggress-split", 28, 15),
    ("DWS Fig. 8", "dws.lazy-split.bl", 28, 15),
    ("DWS Fig. 9", "conv", 47, 38),
    ("DWS Fig. 9", "dws.revive-split", 28, 15),
    ("DWS Fig. 10", "conv", 54, 14),
    ("DWS Fig. 10", "dws.lazy-split", 62, 62 - 56),
    ("DWS Fig. 10", "dws.revive-split", 62, 62 - 59),
    ("DWS Fig. 12", "conv", 35, 22),
    ("DWS Fig. 12", "dws.lazy-split", 24, 5),
    ("DWS 5.3.2", "conv", 30, 9),
    ("DWS 5.3.2", "dws.aggress-split.bl", 30, 8),
    ("DWS 5.3.2", "dws.aggress-split", 30, 0),
    ("DWS 5.7", "conv", 69, 7),
    *[("DWS 5.7", f"dws.{mode}-split", 72, 0) for mode in ("aggress", "lazy", "revive")],
    ("DWS 5.2", "dws.lazy-split", 47, 29),
    ("DWS 5.2", "dws.revive-split", 36, None),
    ("DWS 5.1", "dws.aggress-split", 47, 30),
    ("DWS 4.2", "conv", 64, 57),
    ("DWS 4.2", "dws.lazy-split", 26, 13),
]


@pytest.mark.parametrize(("name", "policy", "cycles", "idle"), SPLITS)
def test_the_model_does_the_worked_examples_of_dws(name, policy, cycles, idle):
    model = Wpu(FIGURES[name].case(), POLICIES[policy]).run()
    assert model.cycles == cycles
    assert idle is None or model.cycles - len(model.issues) == idle


@pytest.mark.parametrize(
    ("name", "policy"),
    [row[:2] for row in SPLITS],
)
def test_the_engine_issues_the_worked_examples_of_dws_as_the_model(name, policy):
    """In each cycle; loops as well, whose outcomes are listed."""
    assert difference(FIGURES[name].case(), policy, POLICIES[policy]) == ""


PAIRS = [
    # example, stack, paired paths, without cascade, PC per thread: instructions
    ("PPC Fig. 1", 9, 9, 9, 9),
    ("PPC Fig. 4", 10, 10, 11, 10),
    ("PPC Fig. 5", 11, 11, 14, 11),
    ("PPC, short circuit", 12, 9, None, 9),
    ("PPC, other levels", 15, 15, None, 12),
    ("PPC, goto", 11, 9, None, 9),
    ("PPC, lower join", 8, 10, None, None),
]


@pytest.mark.parametrize(("name", "stack", "paired", "literal", "single"), PAIRS)
def test_the_model_does_the_worked_examples_of_ppc(name, stack, paired, literal, single):
    case = FIGURES[name].case()
    assert len(Wpu(case, Policy()).run().issues) == stack
    assert len(PairedPaths(case).trace()) == paired
    if literal is not None:
        assert len(PairedPaths(case, cascade=False).trace()) == literal
    if single is not None:
        assert len(per_thread(case)) == single


@pytest.mark.parametrize("which", TRACES)
@pytest.mark.parametrize("name", [row[0] for row in PAIRS])
def test_the_engine_issues_the_worked_examples_of_ppc_as_the_model(name, which):
    assert trace_difference(FIGURES[name].case(), which) == ""


FETCH = [
    # example, scheduler, fetch group, cycles, idle cycles before the last fetch
    ("LWM Fig. 8", "rr", 16, 426, 84),
    ("LWM Fig. 8", "two-level", 8, 354, 12),
    *[("LWM Fig. 13", "two-level", size, 2406, 672) for size in (1, 2, 4, 32)],
    ("LWM Fig. 13", "two-level", 8, 1734, 0),
    ("LWM Fig. 13", "two-level", 16, 1782, 48),
]


@pytest.mark.parametrize(("name", "scheduler", "size", "cycles", "idle"), FETCH)
def test_the_model_does_the_worked_examples_of_lwm(name, scheduler, size, cycles, idle):
    issues, end = barrel.run(FIGURES[name].case(), barrel.Barrel(scheduler, size))
    assert (end, issues[-1].cycle + 1 - len(issues)) == (cycles, idle)


@pytest.mark.parametrize(("scheduler", "size"), [("rr", 16), ("two-level", 8)])
def test_the_engine_fetches_figure_8_as_the_model(scheduler, size):
    assert barrel_difference(FIGURES["LWM Fig. 8"].case(), barrel.Barrel(scheduler, size)) == ""


def test_the_model_forms_the_sub_warps_of_figure_7():
    (one,) = [
        s for s in barrel.steps(FIGURES["LWM Fig. 7"].case(), barrel.Barrel(rows=8), 0) if s.pc == 1
    ]
    rows = [[part >> 4 * row & 15 for row in range(8)] for part in one.sub_warps]
    assert [{r: f"{mask:04b}"[::-1] for r, mask in enumerate(part) if mask} for part in rows] == [
        {0: "1011", 1: "0100"},
        {2: "0011", 3: "1000", 5: "0100"},
        {4: "0010", 5: "0001", 6: "1000", 7: "0100"},
        {6: "0001"},
    ]


class SplitsOfReadyWarps(Wpu):
    """LazySplit as AggressSplit: it does not look whether another group can issue."""

    def _load(self, group):
        ready, self._ready = self._ready, deque()
        if self.policy.pc_merge:
            for other in [g for g in ready if g.warp is group.warp and g.pc == group.pc]:
                ready.remove(other)
                group.mask |= other.mask
                group.done |= other.done
        super()._load(group)
        self._ready = ready + self._ready


class NoMergeAtAccess(Wpu):
    """A running group does not merge with those that are ready at its access."""

    def _load(self, group):
        partners, self._partners = self._partners, lambda group: []
        super()._load(group)
        self._partners = partners


class RevivesTheOldest(Wpu):
    """ReviveSplit takes the group that was suspended first."""

    def _revive(self):
        waiting = [g for g in self._waiting if g.served]
        self._waiting.sort(key=lambda g: g.suspended_at)
        for group in waiting:
            if group is not min(waiting, key=lambda g: g.suspended_at):
                group.served = 0
        return super()._revive()


class TakenSideFirst(Wpu):
    """The side of a branch that runs first is the one that takes it."""

    def _branch(self, group):
        before = len(self._ready)
        running = super()._branch(group)
        if len(self._ready) > before and running is not None:
            self._ready.append(running)
            return self._ready.popleft() if before == 0 else running
        return running


WRONG = [
    # policy, the model with another rule
    ("dws.branch-only", partial(Wpu, choices=Choices(resumed_waits_for_new=False))),
    ("dws.aggress-split", partial(Wpu, choices=Choices(new_groups_merge=True))),
    ("dws.lazy-split", SplitsOfReadyWarps),
    ("dws.branch-only", NoMergeAtAccess),
    ("dws.revive-split.bl", RevivesTheOldest),
    ("dws.branch-only.stack", TakenSideFirst),
    *[("dws.revive-split", partial(Wpu, choices=choices)) for choices in CHOICES.values()],
]


@pytest.mark.parametrize(("policy", "wrong"), WRONG)
def test_random_cases_show_each_rule(policy, wrong):
    """A model with another rule issues otherwise in some of the cases of `make test-all`."""
    rules = POLICIES[policy]
    drawn = (cases.split_case(seed) for seed in range(100))
    assert any(wrong(case, rules).run().issues != Wpu(case, rules).run().issues for case in drawn)


def test_lanes_that_have_made_an_access_do_not_count_when_others_join():
    case = FIGURES["an access that two splits join"].case()
    (access,) = [i for i in Wpu(case, POLICIES["dws.branch-only"]).run().issues if i.cycle == 17]
    assert access.mask.bit_count() == 2
    toy = Toy(scenario(case), "dws.branch-only")
    assert toy.cycles == 17 + 5 + 1
    # One lane: the jump, the first access, the instruction before P. Three: the branch, the end.
    assert engine_widths(toy) == {1: 3, 2: 14, 3: 2}


# Each kind has a few seeds here, and many below.


@pytest.mark.parametrize("seed", range(9))
def test_warps_split_as_in_the_model(seed):
    assert cases.split_differences(seed, 4) == []


@pytest.mark.parametrize("seed", range(2))
def test_settings_of_open_questions_are_those_of_the_model(seed):
    assert cases.choice_differences(seed) == []


@pytest.mark.parametrize("seed", range(9))
def test_paired_paths_are_those_of_the_model(seed):
    assert cases.pair_differences(seed) == []


@pytest.mark.parametrize("seed", range(4))
def test_the_barrel_fetches_as_in_the_model(seed):
    assert cases.barrel_differences(seed) == []


@pytest.mark.parametrize("seed", range(4))
def test_large_warps_form_the_sub_warps_of_the_model(seed):
    assert cases.large_differences(seed) == []


AT_LENGTH = [
    # the differences of a seed, how many seeds
    (cases.split_differences, 600),
    (cases.choice_differences, 200),
    (cases.pair_differences, 500),
    (cases.barrel_differences, 300),
    (cases.large_differences, 200),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("differences", "first"),
    [(of_seed, first) for of_seed, n in AT_LENGTH for first in range(0, n, 100)],
)
def test_engine_and_model_agree_at_length(differences, first):
    assert [text for n in range(100) for text in differences(first + n)] == []
