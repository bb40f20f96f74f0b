"""Seeded bugs in the divergence schemes: random kernels find each within two hundred examples.

A bug that leaves the memory right issues too often, or to lanes that should wait: the stack and the
per-thread scheme are compared with a count from traces, and the paired paths with those two.
"""

from __future__ import annotations

import random
from functools import cache

import pytest

from simtlab.emu.engine import SchemeSpec
from simtlab.emu.statistics import Statistics
from simtlab.testing import Case, random_kernel, run_case
from simtlab.testing.agreement import assert_same_memory

from .support.mutant import Mutant
from .support.reference import issued_by_stack, issued_by_threads, warps_of

EXAMPLES = 200
"""Random kernels for each bug: lanes that return on one side alone are rare."""

FEW = 20
"""So many find most of the bugs."""

BUDGET = 1 << 12
"""More than any of these kernels takes, so that one which never ends is noticed soon."""


@cache
def example(number: int, apart: bool) -> tuple[Case, tuple, bool]:
    """A kernel, what the oracle leaves, and whether its control flow is structured.

    With `apart` warps come to barriers in pieces.
    """
    structured = number % 3 == 2
    case = random_kernel(
        random.Random(number), gotos=not structured, largest_group=64,
        barriers_under_branches=True, barriers_apart=apart,
    )  # fmt: skip
    _, expected, trap = run_case(case, "oracle", budget=BUDGET)
    assert trap is None, trap
    return case, tuple(expected), structured


@cache
def counts(number: int, apart: bool, explicit: bool) -> tuple[int, int, int]:
    """Warp instructions of the stack and of per-thread PCs, and instructions of all work-items."""
    case, _, _ = example(number, apart)
    program = case.module.for_scheme(SchemeSpec("ppc-explicit" if explicit else "ppc"))
    (kernel,) = program.kernels
    warps = warps_of(case, program)
    return (
        sum(issued_by_stack(kernel, warp) for warp in warps),
        sum(issued_by_threads(kernel, warp) for warp in warps),
        sum(len(trace) - 1 for warp in warps for trace in warp),
    )


def check(number: int, scheme: str) -> None:
    """Memory is the oracle's, and the scheme issues as often as it should."""
    apart = scheme == "per-thread"
    case, expected, structured = example(number, apart)
    result, got, trap = run_case(case, "interp", scheme, budget=BUDGET)
    assert result is not None, trap
    assert_same_memory(scheme, list(expected), got, case)
    assert result.statistics is not None
    executed = counts(number, apart, "explicit" in scheme)[2]
    assert result.statistics.thread_instructions == executed
    stack, threads, _ = counts(number, apart, explicit=False)
    issued = without_markers(case, scheme, result.statistics)
    if scheme in ("stack", "ipdom-explicit"):
        assert issued == stack
    elif scheme == "per-thread":
        assert issued == threads
    elif structured:
        assert issued == stack


def without_markers(case: Case, scheme: str, statistics: Statistics) -> int:
    """Return warp instructions, without those that only mark a join for the hardware."""
    program = case.module.for_scheme(SchemeSpec(scheme))
    return sum(
        int(n)
        for ins, n in zip(program.kernels[0].instructions, statistics.executions, strict=True)
        if ins.row.stem != "reconverge"
    )


@pytest.mark.parametrize("scheme", ["stack", "ipdom-explicit", "ppc", "ppc-explicit", "per-thread"])
@pytest.mark.parametrize(
    "examples", [range(FEW), pytest.param(range(FEW, EXAMPLES), marks=pytest.mark.slow)], ids=str
)
def test_without_a_bug_nothing_is_found(scheme: str, examples: range) -> None:
    for number in examples:
        check(number, scheme)


STACK, THREADS, PPC = (f"emu.schemes.{m}" for m in ("stack", "per_thread", "ppc"))

MUTANTS = {
    "stack": (
        Mutant(STACK, "the taken side begins where the other does",
               "Entry(target, rpc, taken)", "Entry(fall, rpc, taken)"),
        Mutant(STACK, "the sides have each other's lanes",
               "taken_path = Entry(target, rpc, taken)",
               "taken, self.mask = self.mask & ~taken, self.mask\n"
               "        taken_path = Entry(target, rpc, taken)"),
        Mutant(STACK, "one side has the lanes of both",
               "Entry(fall, rpc, self.mask & ~taken)", "Entry(fall, rpc, self.mask)"),
        Mutant(STACK, "a lane is lost at a branch",
               "Entry(target, rpc, taken)", "Entry(target, rpc, taken & (taken - 1) or taken)"),
        Mutant(STACK, "no branch has a join",
               "rpc = NOWHERE if join is None else join", "rpc = NOWHERE"),
        Mutant(STACK, "the joined lanes skip an instruction",
               "top.pc = self._resume(rpc)\n", "top.pc = self._resume(rpc) + 1\n"),
        Mutant(STACK, "the joined lanes go on behind the branch",
               "top.pc = self._resume(rpc)\n", "top.pc = fall\n"),
        Mutant(STACK, "the waiting side is forgotten",
               "self.stack += [taken_path, fall_path]", "self.stack += [fall_path]"),
        Mutant(STACK, "the entry of the branch is forgotten",
               "self.stack += [taken_path, fall_path]",
               "self.stack[-1:] = [taken_path, fall_path]"),
        Mutant(STACK, "a path that arrives is not popped",
               "    def arrive(self) -> None:\n        self.stack.pop()\n",
               "    def arrive(self) -> None:\n"),
        Mutant(STACK, "two paths are popped at once",
               "    def arrive(self) -> None:\n        self.stack.pop()\n",
               "    def arrive(self) -> None:\n        del self.stack[-2:]\n"),
        Mutant(STACK, "the other side returns, too",
               "returned = self.mask",
               "returned = self.mask | self.stack[-2].mask if len(self.stack) > 2 else self.mask"),
        Mutant(STACK, "a path that is at its join already runs through it",
               "return entry.pc == entry.rpc\n", "return False\n"),
        Mutant(STACK, "a path is popped where it begins at its watch",
               "while stack and (not stack[-1].mask or self._is_done(stack[-1])):",
               "while len(stack) > 1 and (not stack[-1].mask or stack[-1].rpc != NOWHERE):"),
        Mutant(STACK, "the join is watched an instruction late",
               "        return entry.rpc\n\n    def stack_rows",
               "        return entry.rpc + 1\n\n    def stack_rows"),
        Mutant(STACK, "the mask of the path before stays",
               "self.pc, self.mask, self.watch = top.pc, top.mask, self._watch(top)",
               "self.pc, self.watch = top.pc, self._watch(top)"),
    ),
    "ipdom-explicit": (
        Mutant(STACK, "the joined lanes execute the marker once more",
               "return NOWHERE if rpc == NOWHERE else rpc + 1", "return rpc"),
        Mutant(STACK, "a path is over before it has executed its marker",
               "entry.rpc != NOWHERE and entry.pc == entry.rpc + 1",
               "entry.rpc != NOWHERE and entry.pc == entry.rpc"),
        Mutant(STACK, "a path of the same branch runs through the join",
               "return entry.rpc != NOWHERE and entry.pc == entry.rpc + 1", "return False"),
        Mutant(STACK, "any marker joins",
               "if self.stack[-1].rpc == self.pc - 1:", "if self.stack[-1].rpc != NOWHERE:"),
        Mutant(STACK, "no marker joins",
               "if self.stack[-1].rpc == self.pc - 1:", "if self.stack[-1].rpc == self.pc:"),
    ),
    "per-thread": (
        Mutant(THREADS, "the sides have each other's lanes",
               "self._park(target, taken)\n        self._park(fall, self.mask & ~taken)",
               "self._park(fall, taken)\n        self._park(target, self.mask & ~taken)"),
        Mutant(THREADS, "one side has the lanes of both",
               "self._park(fall, self.mask & ~taken)", "self._park(fall, self.mask)"),
        Mutant(THREADS, "lanes that wait at a PC are forgotten when others come there",
               "self.groups[pc] = self.groups.get(pc, 0) | mask", "self.groups[pc] = mask"),
        Mutant(THREADS, "the largest PC runs",
               "self.pc = min(self.groups)", "self.pc = max(self.groups)"),
        Mutant(THREADS, "the watch is on the last of those who wait",
               "min(self.groups, default=NOWHERE)", "max(self.groups, default=NOWHERE)"),
        Mutant(THREADS, "nothing is watched",
               "self.watch = min(self.groups, default=NOWHERE)", "self.watch = NOWHERE"),
        Mutant(THREADS, "the lanes that run stay among those who wait",
               "self.mask = self.groups.pop(self.pc)", "self.mask = self.groups[self.pc]"),
        Mutant(THREADS, "an arrival does not choose anew",
               "        self._park(self.pc, self.mask)\n        self._choose()\n",
               "        self._park(self.pc, 0)\n"),
        Mutant(THREADS, "lanes that wait at a barrier are forgotten when others come there",
               "self.waiting[self.pc] = self.waiting.get(self.pc, 0) | self.mask",
               "self.waiting[self.pc] = self.mask"),
        Mutant(THREADS, "a barrier is not passed",
               "self._park(pc + 1, mask)", "self._park(pc, mask)"),
        Mutant(THREADS, "lanes leave a barrier again at the next",
               "        self.waiting.clear()\n", ""),
        Mutant(THREADS, "lanes at a barrier run on",
               "        self._choose()\n        return True", "        return True"),
    ),
    "ppc": (
        Mutant(PPC, "the sides have each other's PCs",
               "Side(target, taken), Side(fall, self.mask & ~taken)",
               "Side(fall, taken), Side(target, self.mask & ~taken)"),
        Mutant(PPC, "one side has the lanes of both",
               "Side(fall, self.mask & ~taken)", "Side(fall, self.mask)"),
        Mutant(PPC, "the larger PC runs",
               "top.taken_is_current = top.taken.pc < top.not_taken.pc",
               "top.taken_is_current = top.taken.pc > top.not_taken.pc"),
        Mutant(PPC, "equal PCs do not merge",
               "if top.taken.pc != top.not_taken.pc:", "if True:"),
        Mutant(PPC, "a merge forgets the PC of the entry below",
               "            self.stack[-1].current.pc = pc\n", "            pass\n"),
        Mutant(PPC, "a merge brings no lane back",
               "            self.mask = self._live\n", "            pass\n"),
        Mutant(PPC, "an entry stays when it merges",
               "            self.stack.pop()\n            self._write_back(top.taken.pc)",
               "            self._write_back(top.taken.pc)\n            break"),
        Mutant(PPC, "an arrival forgets where it is",
               "        self.stack[-1].current.pc = self.pc\n        self._compare()\n\n"
               "    def _compare",
               "        self._compare()\n\n    def _compare"),
        Mutant(PPC, "the other side is the same side",
               "return self.not_taken if self.taken_is_current else self.taken\n\n\n",
               "return self.taken if self.taken_is_current else self.not_taken\n\n\n"),
        Mutant(PPC, "lanes that returned are still alive",
               "self._live &= ~self.mask", "self._live &= ~0"),
        Mutant(PPC, "lanes that returned stay on the taken sides below",
               "            entry.taken.mask &= ~self.mask\n", ""),
        Mutant(PPC, "lanes that returned stay on the other sides below",
               "            entry.not_taken.mask &= ~self.mask\n", ""),
        Mutant(PPC, "who is left when a side returns goes on from an old PC",
               "            self._write_back(survivor.pc)\n", ""),
        Mutant(PPC, "who is left when a side returns is forgotten",
               "            survivor = self.stack.pop().other\n",
               "            survivor = self.stack.pop().current\n"),
        Mutant(PPC, "the other side is watched an instruction late",
               "        return top.other.pc\n", "        return top.other.pc + 1\n"),
        Mutant(PPC, "merges do not cascade",
               'if not self.options["cascade"]:', "if True:"),
    ),
    "ppc-explicit": (
        Mutant(PPC, "no marker compares",
               "        if self.stack:\n            self.stack[-1].current.pc = self.pc\n"
               "            self._compare()\n\n    def _after_exit",
               "        pass\n\n    def _after_exit"),
        Mutant(PPC, "a marker compares the PC of before",
               "            self.stack[-1].current.pc = self.pc\n            self._compare()\n\n"
               "    def _after_exit",
               "            self._compare()\n\n    def _after_exit"),
    ),
}  # fmt: skip


RARE = {
    "lanes leave a barrier again at the next", "lanes that returned stay on the taken sides below",
}  # fmt: skip
"""Bugs that more than a few examples are needed for."""


def test_every_mistake_replaces_text_that_its_module_has() -> None:
    for mutants in MUTANTS.values():
        for mutant in mutants:
            assert mutant.text


@pytest.mark.parametrize(
    ("scheme", "mutant"),
    [
        pytest.param(scheme, mutant, marks=[pytest.mark.slow] if mutant.why in RARE else [])
        for scheme, mutants in MUTANTS.items()
        for mutant in mutants
    ],
    ids=lambda x: x.why if isinstance(x, Mutant) else x,
)
def test_a_seeded_bug_is_found_within_two_hundred_examples(scheme: str, mutant: Mutant) -> None:
    for number in range(EXAMPLES):
        try:
            with mutant.seeded():
                check(number, scheme)
        except Exception:  # a wrong result, or a scheme that breaks down
            return
    pytest.fail(f"survived: {mutant}")
