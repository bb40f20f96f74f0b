"""What `make test` runs of tests with many parameters or examples; `make test-all` runs all.

Of tests that are products of several lists, every value of every list occurs, in as few
combinations as that takes. Of a long list of kernels that each cost a compilation, it runs one in
two, and of a very long one one in three. The others are marked `slow`. Of random examples it runs
fewer.

Of the tests of native code that it runs, one in eight has the passes of LLVM that users have, and
the others have few: the same IR in a fifth of the time.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

import pytest
from hypothesis import settings

PRODUCTS = (
    "tests/emu/jit/",
    "tests/emu/test_atomics.py",
    "tests/emu/test_lanes.py",
    "tests/emu/test_waiting.py",
    "tests/programs/",
    "tests/recording/test_functional.py",
    "tests/recording/test_lanes.py",
    "tests/timing/test_litmus.py",
)
"""Where each combination costs a compilation or a long run. Other products are run whole."""

LISTS = ("tests/emu/jit/",)
"""Where each value of a list costs a compilation."""

LONG, LONGEST = 4, 12
"""Values from which on one in two, or two in three, are left to `make test-all`."""

SIMPLER = ("tests/emu/",)
"""Where tests ask what native code computes, and LLVM takes most of their time."""

USUAL = 8
"""One in so many of these tests has the passes that users have."""

Value = tuple[Any, ...]
"""A list of parameters, and which of its values a test has."""


def values_of(item: pytest.Function) -> frozenset[Value]:
    """Return what an item has of each list that its function takes parameters from."""
    lists: list[list[str]] = []
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0] if mark.args else mark.kwargs["argnames"]
        lists.append([n.strip() for n in names.split(",")] if isinstance(names, str) else [*names])
    own = item.callspec.params
    # A value is the object in its list; equal ones may be alike by accident.
    return frozenset((*names, *(id(own[name]) for name in names)) for names in lists)


def covering(items: Sequence[pytest.Function]) -> set[pytest.Function]:
    """Return a few items that have among them what all have: of long lists, some of the values.

    Those that have most of what is still missing come first; their names decide between equal ones,
    so that the combinations are no diagonal and stay the same.
    """
    has = {item: values_of(item) for item in items}
    missing = _wanted(items[0].nodeid.partition("[")[0], has.values())
    order = sorted(has, key=lambda item: zlib.crc32(item.nodeid.encode()))
    kept: set[pytest.Function] = set()
    while missing:
        best = max(order, key=lambda item: len(has[item] & missing))
        missing -= has[best]
        kept.add(best)
    return kept


def _wanted(function: str, values: Iterable[frozenset[Value]]) -> frozenset[Value]:
    """Return the values that a function's tests must have.

    Functions with one list begin at different values of it.
    """
    lists: dict[Value, dict[Value, None]] = defaultdict(dict)  # in the order of the tests
    for value in chain.from_iterable(values):
        names = tuple(name for name in value if isinstance(name, str))
        lists[names][value] = None
    first = zlib.crc32(function.encode())

    def kept(one: Sequence[Value]) -> Sequence[Value]:
        if not function.startswith(LISTS) or len(one) < LONG:
            return one
        step = 3 if len(one) >= LONGEST else 2
        return one[first % step :: step]

    return frozenset(chain.from_iterable(kept([*one]) for one in lists.values()))


def leave_to_slow(items: Iterable[pytest.Item]) -> None:
    """Mark as slow what adds no value to a product, and every second value of long lists."""
    functions: dict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if not isinstance(item, pytest.Function) or item.get_closest_marker("slow"):
            continue
        of = item.nodeid.partition("[")[0]
        lists = len(list(item.iter_markers("parametrize")))
        if of.startswith(PRODUCTS) and (lists > 1 or (lists and of.startswith(LISTS))):
            functions[of].append(item)
    for function in functions.values():
        for item in set(function) - covering(function):
            item.add_marker(pytest.mark.slow)


_run = {"is_quick": False}


def choose(config: pytest.Config) -> None:
    """Take what `examples` needs to know from the command line, before tests are imported."""
    _run["is_quick"] = config.getoption("markexpr") == "not slow"


def is_simple(item: pytest.Item) -> bool:
    """Return whether a test of `make test` compiles with few passes: the name of each decides.

    Random kernels always do: fresh ones would hardly find more under the passes of users.
    """
    if not _run["is_quick"] or not item.nodeid.startswith(SIMPLER):
        return False
    is_random = hasattr(getattr(item, "obj", None), "hypothesis")
    return is_random or zlib.crc32(item.nodeid.encode()) % USUAL != 0


@contextmanager
def passes_for(item: pytest.Item) -> Iterator[None]:
    """Compile with few passes while a test runs that `is_simple`."""
    if not is_simple(item):
        yield
        return
    from simtlab.emu.jit.llvm import passes

    item.add_report_section("setup", "passes", "LLVM ran few passes (SIMPLER in tests/quick.py)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "ONLY", passes.Level.BARE)
        yield


def few(values: Sequence[Any], one_in: int, first: int = 0) -> list[Any]:
    """Return values for `parametrize`: one in so many, from `first` on, is not slow.

    Tests that run all programs begin at different ones, so that each program is in some of them.
    """
    return [
        pytest.param(value, marks=[pytest.mark.slow] * (number % one_in != first))
        for number, value in enumerate(values)
    ]


def count(quick: int, all: int) -> int:
    """Return how many examples a test draws that draws them itself."""
    return quick if _run["is_quick"] else all


def some(values: Sequence[Any], one_in: int, first: int = 0) -> Sequence[Any]:
    """Return the values that a test goes through itself: in `make test` one in so many."""
    return values[first::one_in] if _run["is_quick"] else values


def examples(quick: int, all: int, **others: Any) -> settings:
    """Return the settings of a Hypothesis test that has fewer examples in `make test`."""
    return settings(max_examples=count(quick, all), **others)
