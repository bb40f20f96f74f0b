"""Seeded bugs in timing policies: random kernels find each within a hundred examples.

Engines run uncompiled here, on machines of two small WPUs whose memory answers at random. A policy
leaves the oracle's memory, and each work-item executes what it would alone.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from simtlab.testing import Case, random_kernel, run_case
from simtlab.testing.agreement import assert_same_memory
from simtlab.timing.compiler import compose
from simtlab.timing.compiler.files import find
from simtlab.timing.machines import machine as machines
from simtlab.timing.simulation import simulator as simulate
from simtlab.timing.simulation.simulator import Simulator

from .support.mutant import EXAMPLES, Mutant, survives
from .support.reference import warps_of

EVENTS = 20_000
"""More than any of these kernels takes, so that an engine which goes nowhere is noticed soon."""


@cache
def example(number: int) -> tuple[Case, tuple, int]:
    """A kernel, what the oracle leaves, and the instructions of all work-items together."""
    case = random_kernel(random.Random(number), largest_group=24)
    _, expected, trap = run_case(case, "oracle")
    assert trap is None, trap
    traces = (trace for warp in warps_of(case, case.module.program) for trace in warp)
    return case, tuple(expected), sum(len(trace) - 1 for trace in traces)


def check(number: int, policy: str) -> None:
    """A policy does what the oracle does, on a machine that the number chooses."""
    case, expected, executed = example(number)
    rng = random.Random(number)
    width = rng.choice((2, 4, 8))
    chosen = find(policy)
    fields = {
        "width": width,
        "wpus": 2,
        "warps": max(-(-case.geometry.largest_group // width), 4) + 1,
        "slots": rng.choice((0, 0, 2, 5)),
        "wst_entries": rng.choice((0, 0, 3, 16)),
        "adversary_seed": number + 1,
        **({"issue": "barrel"} if policy.startswith(("lwm", "dwf")) else {}),
        **({"policy.warp": 4 * width} if "warp" in chosen.settings else {}),
        **({"policy.max-div": width - 1} if "max-div" in chosen.settings else {}),
    }
    simulator = Simulator(machines.load("toy", fields), chosen, plain=True)
    (function,) = case.module
    g = case.geometry
    launch = function.launch(
        items=g.items, group_size=g.group_size, scheme=chosen.scheme, budget=1 << 12
    )
    arguments = case.arguments()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulate, "PATIENCE", EVENTS)
        patch.setattr(simulate, "EVENTS", EVENTS)
        launch.run_by(simulator.run, *arguments)
    got = [a for a in arguments if isinstance(a, np.ndarray)]
    assert_same_memory(policy, list(expected), got, case)
    assert int(simulator.state.rows["wpu"]["n_thread_instr"].sum()) == executed


@contextmanager
def replacing(mutant: Mutant) -> Iterator[None]:
    """Compose engines with the mutant in place of its file."""
    source_of = compose.source_of
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / mutant.path.name
        path.write_text(mutant.text, encoding="utf-8")
        patch.setattr(
            compose, "source_of",
            lambda name: path if source_of(name) == mutant.path else source_of(name),
        )  # fmt: skip
        yield


POLICIES = (
    "conv", "dws.revive-split", "slip", "ppc", "per-thread", "lwm", "dwf.majority",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_without_a_bug_nothing_is_found(policy: str) -> None:
    for number in range(EXAMPLES):
        check(number, policy)


STACKS, SPLITS, DWS, PPC, THREADS, SLIP, LARGE, PACKS, DWF = (
    f"timing.engine.{name}"
    for name in (
        "stacks", "policy.splits.splits", "policy.splits.dws", "policy.pairs.ppc",
        "policy.per_thread",
        "policy.splits.slip", "policy.packs.large", "policy.packs.packs", "policy.packs.dwf",
    )
)  # fmt: skip

MUTANTS = (
    ("conv", Mutant(STACKS, "the side that waits is not pushed",
                    "        push(S, v, row.target, rpc, taken, grp.seg)\n"
                    "        push(S, v, row.next, rpc, rest, grp.seg)\n    return",
                    "        push(S, v, row.next, rpc, rest, grp.seg)\n    return")),
    ("conv", Mutant(STACKS, "the sides have each other's lanes",
                    "    rest = grp.mask & ~taken\n    stack(",
                    "    rest = taken\n    taken = grp.mask & ~taken\n    stack(")),
    ("conv", Mutant(STACKS, "an entry at its join runs on",
                    "entry.mask != 0 and entry.seg != entry.rpc", "entry.mask != 0")),
    ("dws.revive-split", Mutant(SPLITS, "lanes of a split stay in the group that it left",
                                "    grp.mask &= ~lanes\n    grp.done", "    grp.done")),
    ("dws.revive-split", Mutant(SPLITS, "groups that merge lose lanes",
                                "    grp.mask |= other.mask\n", "    grp.mask &= ~other.mask\n")),
    ("dws.revive-split", Mutant(SPLITS, "who waits is forgotten when others come",
                                "    waits.waiting |= lanes\n", "    waits.waiting = lanes\n")),
    ("dws.revive-split", Mutant(DWS, "both splits go the same way",
                                "    branch_off(S, w, g, lanes, second, t)\n",
                                "    branch_off(S, w, g, lanes, first, t)\n")),
    ("slip", Mutant(SLIP, "those who wait at another branch are forgotten",
                    "        wake(S, h, S.now, RECONVERGE)\n        schedule(S, v // S.warps, h)\n",
                    "")),
    ("ppc", Mutant(PPC, "sides that merge lose lanes",
                   "        grp.mask |= other.mask\n", "")),
    ("ppc", Mutant(PPC, "the side with the larger PC goes on, as if it were the smaller",
                   "open_entry(S, g, row.target, taken, row.next, grp.mask & ~taken)",
                   "open_entry(S, g, row.next, taken, row.target, grp.mask & ~taken)")),
    ("lwm", Mutant(LARGE, "a row's lanes that fall through take the branch",
                   "falls = group(S, h).mask & ~jumps", "falls = group(S, h).mask")),
    ("lwm", Mutant(LARGE, "an entry is popped in the first row only",
                   "            warp(S, group(S, h).warp).depth -= 1\n"
                   "            h = part(S, h).next",
                   "            warp(S, group(S, h).warp).depth -= 1\n"
                   "            h = -1")),
    ("dwf.majority", Mutant(PACKS, "threads that leave a warp stay in it, too",
                            "                group(S, h).mask &= ~chosen\n", "")),
    ("dwf.majority", Mutant(PACKS, "threads that join others of their home are lost",
                            "            group(S, home_part).mask |= group(S, h).mask\n", "")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "mutant"), MUTANTS, ids=lambda x: x.why if isinstance(x, Mutant) else x
)
def test_a_seeded_bug_is_found_within_a_hundred_examples(policy: str, mutant: Mutant) -> None:
    assert not survives(replacing(mutant), lambda number: check(number, policy)), (
        f"survived: {mutant}"
    )
