"""A kernel with two versions, of which calls find the faster one.

Calls take their workgroups in short stretches, by the two versions in turns, and compare cycles.
Stretches grow until they take long enough. The first pair of them, of cold code, does not count.
Each other pair is a vote, which counts double if one version takes twice as long: any stretch may
be interrupted, so no sum is kept. Which version begins a pair changes, lest every other workgroup
has more to do. When enough votes agree, all later calls of the process use that version.

Threads may count at the same time; a vote that is lost does no harm. Both versions give the same
results, so the order of what is measured does not show.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...llvm.function_text import FunctionText, definition
from ...llvm.text import ModuleText

VERSIONS = ("together", "alone")
"""The names of the functions of both versions."""

LEAST_CYCLES = 50_000
"""Cycles of a pair of stretches that counts."""

LONGEST = 1 << 10
"""Workgroups of a stretch, at most."""

ENOUGH = 6
"""Votes by which one version must lead."""

CLEAR = 2
"""Votes of a pair in which one version takes twice the time of the other."""

MOST_PAIRS = 16
"""Pairs after which the version with more votes is taken."""

_WORDS = ("chosen", "turn", "pairs", "votes", "size", "cycles", "groups")
"""What calls leave to later ones: the chosen version plus one, the number of the next of four
stretches (together, alone, alone, together), pairs that were compared, votes for `alone` less those
for `together`, the logarithm of a stretch's workgroups, and the cycles and workgroups of the
stretch before."""


def trial(module: ModuleText, head: str) -> str:
    """Return the function that runs a range of workgroups by the faster version, once it is known.

    `head` defines it, with the arguments that both versions have.
    """
    code = FunctionText(module)
    for word in _WORDS:
        module.declare(_name(word), f"@{_name(word)} = internal global i64 0")
    place = code.let("alloca i64")
    code.line(f"store i64 %first, ptr {place}")
    code.jump("next")
    code.block("next")
    at = code.let(f"load i64, ptr {place}")
    code.switch(_get(code, "chosen"), "unknown", {1: VERSIONS[0], 2: VERSIONS[1]})
    for name in VERSIONS:
        code.block(name)
        code.ret("i32", code.let(f"call i32 @{name}(ptr %ctx, i64 {at}, i64 %last)"))
    code.block("unknown")
    code.branch(code.let(f"icmp ult i64 {at}, %last"), "stretch", "done")
    code.block("stretch")
    size = _get(code, "size")
    left = code.let(f"sub i64 %last, {at}")
    groups = code.let(f"shl i64 1, {size}")
    groups = code.intrinsic("llvm.umin", "i64", f"i64 {groups}", f"i64 {left}")
    end = code.let(f"add i64 {at}, {groups}")
    code.line(f"store i64 {end}, ptr {place}")
    turn = _get(code, "turn")
    following = code.let(f"add i64 {turn}, 1")
    _set(code, "turn", code.let(f"and i64 {following}, 3"))
    is_alone = code.let(f"trunc i64 {code.let(f'lshr i64 {following}, 1')} to i1")
    version = code.let(f"select i1 {is_alone}, ptr @{VERSIONS[1]}, ptr @{VERSIONS[0]}")
    begin = code.call("i64", "llvm.readcyclecounter")
    trapped = code.let(f"call i32 {version}(ptr %ctx, i64 {at}, i64 {end})")
    cycles = code.let(f"sub i64 {code.call('i64', 'llvm.readcyclecounter')}, {begin}")
    code.branch(code.let(f"icmp ne i32 {trapped}, 0"), "trapped", "measured")
    code.block("measured")
    code.branch(code.let(f"trunc i64 {turn} to i1"), "second", "one")
    code.block("one")
    for word, value in ("cycles", cycles), ("groups", groups):
        _set(code, word, value)
    code.jump("next")
    code.block("second")
    known = (_get(code, "cycles"), cycles), (_get(code, "groups"), groups)
    together = [code.let(f"select i1 {is_alone}, i64 {a}, i64 {b}") for a, b in known]
    alone = [code.let(f"select i1 {is_alone}, i64 {b}, i64 {a}") for a, b in known]
    _judge(code, size, together, alone)
    code.block("done")
    code.ret("i32", "0")
    code.block("trapped")
    code.ret("i32", "1")
    return definition(head, code)


def _judge(code: FunctionText, size: str, together: Sequence[str], alone: Sequence[str]) -> None:
    """Compare the (cycles, workgroups) of a pair of stretches, and jump to `next`."""
    both = code.let(f"add i64 {together[0]}, {alone[0]}")
    is_short = code.let(f"icmp ult i64 {both}, {LEAST_CYCLES}")
    may_grow = code.let(f"icmp ult i64 {size}, {LONGEST.bit_length() - 1}")
    code.branch(code.let(f"and i1 {is_short}, {may_grow}"), "grow", "compare")
    code.block("grow")
    _set(code, "size", code.let(f"add i64 {size}, 1"))
    code.jump("next")
    code.block("compare")
    pairs = _get(code, "pairs")
    following = code.let(f"add i64 {pairs}, 1")
    _set(code, "pairs", following)
    code.branch(code.let(f"icmp eq i64 {pairs}, 0"), "next", "vote")
    code.block("vote")
    # The last stretch of a launch may be shorter than the other one.
    a = code.let(f"mul i64 {together[0]}, {alone[1]}")
    b = code.let(f"mul i64 {alone[0]}, {together[1]}")
    votes = _get(code, "votes")
    for less, more, sign in (a, b, -1), (b, a, 1):
        clear = code.let(f"icmp ult i64 {code.let(f'shl i64 {less}, 1')}, {more}")
        weight = code.let(f"select i1 {clear}, i64 {sign * CLEAR}, i64 {sign}")
        faster = code.let(f"icmp ult i64 {less}, {more}")
        given = code.let(f"select i1 {faster}, i64 {weight}, i64 0")
        votes = code.let(f"add i64 {votes}, {given}")
    _set(code, "votes", votes)
    lead = code.intrinsic("llvm.abs", "i64", f"i64 {votes}", "i1 false")
    enough = code.let(f"icmp uge i64 {lead}, {ENOUGH}")
    last = code.let(f"icmp ugt i64 {following}, {MOST_PAIRS}")
    code.branch(code.let(f"or i1 {enough}, {last}"), "choose", "next")
    code.block("choose")
    is_alone = code.let(f"icmp sgt i64 {votes}, 0")
    _set(code, "chosen", code.let(f"select i1 {is_alone}, i64 2, i64 1"))
    code.jump("next")


def _name(word: str) -> str:
    return f"trial.{word}"


def _get(code: FunctionText, word: str) -> str:
    return code.let(f"load atomic i64, ptr @{_name(word)} monotonic, align 8")


def _set(code: FunctionText, word: str, value: str) -> None:
    code.line(f"store atomic i64 {value}, ptr @{_name(word)} monotonic, align 8")
