"""A kernel with several versions, of which calls find the fastest one.

Two versions are compared at a time: the best one so far, and the next one. Calls take their
workgroups in short stretches, by the two in turns, and compare cycles. Stretches grow until they
take long enough. The first pair of them, of cold code, does not count. Each other pair is a vote,
which counts more if one version takes longer by far: any stretch may be interrupted, so no sum is
kept. Which version begins a pair changes, lest every other workgroup has more to do. When enough
votes agree, the winner is compared with the next version. After the last one calls use the winner.

What is fastest may change: the first launches find nothing in caches, and frontiers grow. So all
is compared once more when calls have taken 64 times as long as that took, and then again after
twice that time, and so on.

A version is a function, and maybe the limit that it is called with: below so many running lanes
each runs a sparse loop alone.

Threads may count at the same time; a vote that is lost does no harm. All versions give the same
results, so the order of what is measured does not show.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ....analysis.facts import NEVER_TOGETHER, Facts
from ...llvm.function_text import FunctionText, definition
from ...llvm.text import ModuleText

TOGETHER, ALONE = "together", "alone"
"""The names of functions: lanes run loops together, or as the limit says; all run them alone."""

LIMIT = "%alone_below"
"""The last argument of a function that is called with limits."""

FEW = 16, 8
"""Limits of versions between the others, in warps of 32 lanes or more. Loops gain by them in which
lanes stay for different times: searches of trees, quadrature."""


class Version(NamedTuple):
    """What is called: a function, and the limit that is its last argument, if it has one."""

    function: str
    limit: int | None


def versions_of(facts: Facts, *, finds_limit: bool, has_alone: bool) -> list[Version]:
    """Return the versions of a kernel, in the order in which they are compared.

    `has_alone`: there is a function in which all lanes run loops alone; else a limit does that.
    """
    alone = Version(ALONE, None) if has_alone else Version(TOGETHER, NEVER_TOGETHER)
    found = [Version(TOGETHER, 0 if finds_limit else None), alone]
    if finds_limit:
        found += [Version(TOGETHER, few) for few in FEW if 2 * few <= facts.width]
    return found


LEAST_CYCLES = 50_000
"""Cycles of a pair of stretches that counts."""

LONGEST = 1 << 10
"""Workgroups of a stretch, at most."""

ENOUGH = 24
"""Votes by which one version must lead."""

SEEN = 4
"""Votes of a pair in which one version takes an eighth longer than the other; else it is one.

A launch of which two versions take as long as each other must not decide before one that shows a
difference."""

CLEAR = 8
"""Votes of a pair in which one version takes twice the time of the other."""

MOST_PAIRS = 64
"""Pairs after which the version with more votes is taken."""

LEARNING_CYCLES = 1 << 23
"""Cycles of a comparison before other votes than clear ones count.

Launches may have the same data. CPUs learn the branches of lanes that run alone then, and after
some launches these take less than half of the time."""

LEARNING_CALLS = 16
"""Calls that are enough as well: CPUs learn the branches of a short launch in as many."""

OF_CALL = LEARNING_CYCLES // LEARNING_CALLS
"""What each call adds to the cycles of a comparison."""

PATIENCE = 64
"""How many times as long as all comparisons calls use the winner, at first."""

MOST_PATIENCE = 1 << 16

_WORDS = {
    "over": 0, "best": 0, "next": 1, "turn": 0, "pairs": 0, "votes": 0, "size": 0, "cycles": 0,
    "groups": 0, "spent": 0, "left": 0, "patience": PATIENCE, "learning": 0,
}  # fmt: skip
"""What calls leave to later ones: whether all versions were compared, the best one so far, the one
that it is compared with, the number of the next of four stretches (best, next, next, best), pairs
that were compared, votes for the next one less those for the best one, the logarithm of a stretch's
workgroups, the cycles and workgroups of the stretch before, the cycles of all stretches, those that
are left until all begins anew, how many times as long as the stretches that shall take, and the
cycles for which two versions were compared, to which each call adds some."""


def trial(module: ModuleText, head: str, versions: Sequence[Version]) -> str:
    """Return the function that runs a range of workgroups by the fastest version, once it is known.

    `head` defines it, with the arguments that all versions have before the limit.
    """
    code = FunctionText(module)
    for word, value in _WORDS.items():
        module.declare(_name(word), f"@{_name(word)} = internal global i64 {value}")
    limits = ", ".join(f"i64 {version.limit or 0}" for version in versions)
    table = f"internal constant [{len(versions)} x i64] [{limits}]"
    module.declare(_name("limits"), f"@{_name('limits')} = {table}")
    place = code.let("alloca i64")
    code.line(f"store i64 %first, ptr {place}")
    code.jump("next")
    code.block("next")
    at = code.let(f"load i64, ptr {place}")
    code.branch(code.let(f"icmp ne i64 {_get(code, 'over')}, 0"), "known", "unknown")
    code.block("known")
    best = _get(code, "best")
    result, cycles = _timed(code, versions, best, at, "%last")
    left = code.let(f"sub i64 {_get(code, 'left')}, {cycles}")
    _set(code, "left", left)
    code.branch(code.let(f"icmp slt i64 {left}, 0"), "again", "ran", rarely=True)
    code.block("again")
    _set(code, "next", code.let(f"zext i1 {code.let(f'icmp eq i64 {best}, 0')} to i64"))
    for word in "pairs", "votes", "learning", "spent", "over":
        _set(code, word, "0")
    code.jump("ran")
    code.block("ran")
    code.ret("i32", result)
    code.block("unknown")
    code.branch(code.let(f"icmp ult i64 {at}, %last"), "stretch", "done")
    code.block("stretch")
    left = code.let(f"sub i64 %last, {at}")
    size, turn = _get(code, "size"), _turn(code, at, left)
    groups = _workgroups(code, size, turn, left)
    end = code.let(f"add i64 {at}, {groups}")
    code.line(f"store i64 {end}, ptr {place}")
    following = code.let(f"add i64 {turn}, 1")
    _set(code, "turn", code.let(f"and i64 {following}, 3"))
    is_next = code.let(f"trunc i64 {code.let(f'lshr i64 {following}, 1')} to i1")
    # Another thread may have compared the last one meanwhile.
    last = f"i64 {len(versions) - 1}"
    other = code.intrinsic("llvm.umin", "i64", f"i64 {_get(code, 'next')}", last)
    version = code.let(f"select i1 {is_next}, i64 {other}, i64 {_get(code, 'best')}")
    trapped, cycles = _timed(code, versions, version, at, end)
    code.branch(code.let(f"icmp ne i32 {trapped}, 0"), "trapped", "measured")
    code.block("measured")
    _set(code, "spent", code.let(f"add i64 {_get(code, 'spent')}, {cycles}"))
    of_call = f"select i1 {code.let(f'icmp eq i64 {at}, %first')}, i64 {OF_CALL}, i64 0"
    learning = code.let(f"add i64 {_get(code, 'learning')}, {code.let(of_call)}")
    _set(code, "learning", code.let(f"add i64 {learning}, {cycles}"))
    code.branch(code.let(f"trunc i64 {turn} to i1"), "second", "one")
    code.block("one")
    for word, value in ("cycles", cycles), ("groups", groups):
        _set(code, word, value)
    code.jump("next")
    code.block("second")
    known = (_get(code, "cycles"), cycles), (_get(code, "groups"), groups)
    best = [code.let(f"select i1 {is_next}, i64 {a}, i64 {b}") for a, b in known]
    following = [code.let(f"select i1 {is_next}, i64 {b}, i64 {a}") for a, b in known]
    _judge(code, size, best, following)
    code.block("choose")
    _choose(code, other, len(versions))
    code.block("done")
    code.ret("i32", "0")
    code.block("trapped")
    code.ret("i32", "1")
    return definition(head, code)


def _turn(code: FunctionText, at: str, left: str) -> str:
    """Return the number of the next of four stretches, for the workgroups from `at` on.

    Both stretches of a pair are in one call, if that has more than one workgroup: the next launch
    may have more to do, and launches may repeat in the rhythm of the stretches. So a call begins
    with the first stretch of a pair.
    """
    known = _get(code, "turn")
    is_first = code.let(f"icmp eq i64 {at}, %first")
    begins = code.let(f"and i1 {is_first}, {code.let(f'icmp ugt i64 {left}, 1')}")
    return code.let(f"select i1 {begins}, i64 {code.let(f'and i64 {known}, 2')}, i64 {known}")


def _workgroups(code: FunctionText, size: str, turn: str, left: str) -> str:
    """Return how many of the workgroups that are `left` a stretch has; all are i64."""
    groups = code.let(f"shl i64 1, {size}")
    half = code.let(f"lshr i64 {code.let(f'add i64 {left}, 1')}, 1")
    one = code.intrinsic("llvm.umin", "i64", f"i64 {groups}", f"i64 {half}")
    # No single workgroup remains for a pair after this one.
    is_rest = code.let(f"icmp ule i64 {left}, {code.let(f'add i64 {groups}, 1')}")
    second = code.let(f"select i1 {is_rest}, i64 {left}, i64 {groups}")
    return code.let(f"select i1 {code.let(f'trunc i64 {turn} to i1')}, i64 {second}, i64 {one}")


def _timed(
    code: FunctionText, versions: Sequence[Version], number: str, first: str, last: str
) -> tuple[str, str]:
    """Run a range of workgroups by a version; return what it returns, and its cycles.

    `number` is that of the version, an i64.
    """
    labels = {version.function: code.fresh_label("version") for version in versions}
    timed, results = code.fresh_label("timed"), []
    begin = code.call("i64", "llvm.readcyclecounter")
    of_version = [labels[version.function] for version in versions]
    code.switch(number, of_version[0], dict(enumerate(of_version[1:], 1)))
    limits = {version.function: version.limit for version in versions}
    for function, label in labels.items():
        code.block(label)
        arguments = f"ptr %ctx, i64 {first}, i64 {last}"
        if limits[function] is not None:
            # From a table: LLVM would make functions for limits that are constants.
            place = code.let(f"getelementptr i64, ptr @{_name('limits')}, i64 {number}")
            arguments += f", i64 {code.let(f'load i64, ptr {place}')}"
        results.append((code.let(f"call i32 @{function}({arguments})"), label))
        code.jump(timed)
    code.block(timed)
    result = code.phi("i32", *results)
    return result, code.let(f"sub i64 {code.call('i64', 'llvm.readcyclecounter')}, {begin}")


def _judge(code: FunctionText, size: str, best: Sequence[str], other: Sequence[str]) -> None:
    """Compare the (cycles, workgroups) of a pair of stretches, and jump to `next` or `choose`."""
    both = code.let(f"add i64 {best[0]}, {other[0]}")
    is_short = code.let(f"icmp ult i64 {both}, {LEAST_CYCLES}")
    may_grow = code.let(f"icmp ult i64 {size}, {LONGEST.bit_length() - 1}")
    code.branch(code.let(f"and i1 {is_short}, {may_grow}"), "grow", "compare")
    code.block("grow")
    _set(code, "size", code.let(f"add i64 {size}, 1"))
    code.jump("next")
    code.block("compare")
    pairs = _get(code, "pairs")
    learns = code.let(f"icmp ult i64 {_get(code, 'learning')}, {LEARNING_CYCLES}")
    following = code.let(f"add i64 {pairs}, 1")
    following = code.let(f"select i1 {learns}, i64 1, i64 {following}")
    _set(code, "pairs", following)
    code.branch(code.let(f"icmp eq i64 {pairs}, 0"), "next", "vote")
    code.block("vote")
    # The last stretch of a launch may be shorter than the other one.
    a = code.let(f"mul i64 {best[0]}, {other[1]}")
    b = code.let(f"mul i64 {other[0]}, {best[1]}")
    votes = _get(code, "votes")
    seen_weight, least_weight = (
        code.let(f"select i1 {learns}, i64 0, i64 {weight}") for weight in (SEEN, 1)
    )
    for less, more, op in (a, b, "sub"), (b, a, "add"):
        clear = code.let(f"icmp ult i64 {code.let(f'shl i64 {less}, 1')}, {more}")
        eighth = code.let(f"add i64 {less}, {code.let(f'lshr i64 {less}, 3')}")
        seen = code.let(f"icmp ult i64 {eighth}, {more}")
        weight = code.let(f"select i1 {seen}, i64 {seen_weight}, i64 {least_weight}")
        weight = code.let(f"select i1 {clear}, i64 {CLEAR}, i64 {weight}")
        faster = code.let(f"icmp ult i64 {less}, {more}")
        given = code.let(f"select i1 {faster}, i64 {weight}, i64 0")
        votes = code.let(f"{op} i64 {votes}, {given}")
    _set(code, "votes", votes)
    lead = code.intrinsic("llvm.abs", "i64", f"i64 {votes}", "i1 false")
    enough = code.let(f"icmp uge i64 {lead}, {ENOUGH}")
    last = code.let(f"icmp ugt i64 {following}, {MOST_PAIRS}")
    code.branch(code.let(f"or i1 {enough}, {last}"), "choose", "next")


def _choose(code: FunctionText, other: str, versions: int) -> None:
    """Keep the better one of two versions, and jump to `next`."""
    is_better = code.let(f"icmp sgt i64 {_get(code, 'votes')}, 0")
    best = code.let(f"select i1 {is_better}, i64 {other}, i64 {_get(code, 'best')}")
    _set(code, "best", best)
    for word in "pairs", "votes", "learning":
        _set(code, word, "0")
    following = code.let(f"add i64 {other}, 1")
    is_best = code.let(f"zext i1 {code.let(f'icmp eq i64 {following}, {best}')} to i64")
    following = code.let(f"add i64 {following}, {is_best}")
    _set(code, "next", following)
    code.branch(code.let(f"icmp uge i64 {following}, {versions}"), "decided", "next")
    code.block("decided")
    patience = _get(code, "patience")
    _set(code, "left", code.let(f"mul i64 {_get(code, 'spent')}, {patience}"))
    longer = code.let(f"shl i64 {patience}, 1")
    most = f"i64 {MOST_PATIENCE}"
    _set(code, "patience", code.intrinsic("llvm.umin", "i64", f"i64 {longer}", most))
    _set(code, "over", "1")
    code.jump("next")


def _name(word: str) -> str:
    return f"trial.{word}"


def _get(code: FunctionText, word: str) -> str:
    return code.let(f"load atomic i64, ptr @{_name(word)} monotonic, align 8")


def _set(code: FunctionText, word: str, value: str) -> None:
    code.line(f"store atomic i64 {value}, ptr @{_name(word)} monotonic, align 8")
