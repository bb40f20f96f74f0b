"""What `make test` runs of tests with many parameters or examples; `make test-all` runs all.

Of tests that are products of several lists, every value of every list occurs, in as few
combinations as that takes. Of a long list of kernels that each cost a compilation, it runs one in
two. The others are marked `slow`. Of random examples it runs fewer.

Of the tests of native code that it runs, the first of each function has the passes of LLVM that
users have, and the others have few, as large kernels have: the same IR in a quarter of the time.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
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

LISTS = ("tests/emu/jit/kernel/", "tests/emu/jit/launch/")
"""Where each value of one list costs a compilation."""

LONG = 5
"""Values from which on one in two is left to `make test-all`."""

SIMPLER = ("tests/emu/jit/",)
"""Where LLVM takes most of the time, and tests ask what code computes."""

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


def covering(items: Iterable[pytest.Function]) -> set[pytest.Function]:
    """Return a few items that have among them what all have.

    Those that have most of what is still missing come first; their names decide between equal ones,
    so that the combinations are no diagonal and stay the same.
    """
    has = {item: values_of(item) for item in items}
    missing = frozenset().union(*has.values())
    order = sorted(has, key=lambda item: zlib.crc32(item.nodeid.encode()))
    kept: set[pytest.Function] = set()
    while missing:
        best = max(order, key=lambda item: len(has[item] & missing))
        missing -= has[best]
        kept.add(best)
    return kept


def leave_to_slow(items: Iterable[pytest.Item]) -> None:
    """Mark as slow what adds no value to a product, and every second value of long lists."""
    products: dict[str, list[pytest.Function]] = defaultdict(list)
    lists: dict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if not isinstance(item, pytest.Function) or item.get_closest_marker("slow"):
            continue
        of = item.nodeid.partition("[")[0]
        match len(list(item.iter_markers("parametrize"))):
            case 0:
                pass
            case 1 if item.nodeid.startswith(LISTS):
                lists[of].append(item)
            case number if number > 1 and item.nodeid.startswith(PRODUCTS):
                products[of].append(item)
    for product in products.values():
        for item in set(product) - covering(product):
            item.add_marker(pytest.mark.slow)
    for values in lists.values():
        if len(values) >= LONG:
            for item in values[1::2]:
                item.add_marker(pytest.mark.slow)


_run = {"is_quick": False}


def choose(config: pytest.Config) -> None:
    """Take what `examples` needs to know from the command line, before tests are imported."""
    _run["is_quick"] = config.getoption("markexpr") == "not slow"


def compile_simply(items: Iterable[pytest.Item]) -> None:
    """Let the tests of `make test` compile with few passes, but for the first of each function.

    Random kernels always have few: fresh ones would hardly find more under the passes of users.
    """
    if not _run["is_quick"]:
        return
    seen: set[str] = set()
    for item in items:
        of = item.nodeid.partition("[")[0]
        if of.startswith(SIMPLER):
            is_random = hasattr(getattr(item, "obj", None), "hypothesis")
            item.stash[_IS_SIMPLE] = is_random or of in seen
            seen.add(of)


_IS_SIMPLE = pytest.StashKey[bool]()


@contextmanager
def passes_for(item: pytest.Item) -> Iterator[None]:
    """Compile with the passes that `compile_simply` has chosen for an item."""
    if not item.stash.get(_IS_SIMPLE, False):
        yield
        return
    from simtlab.emu.jit.llvm import passes

    item.add_report_section("setup", "passes", "LLVM ran few passes (SIMPLER in tests/quick.py)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "ONLY", passes.Level.PLAIN)
        yield


def few(values: Sequence[Any], one_in: int, first: int = 0) -> list[Any]:
    """Return values for `parametrize`: one in so many, from `first` on, is not slow.

    Tests that run all programs begin at different ones, so that each program is in some of them.
    """
    return [
        pytest.param(value, marks=[pytest.mark.slow] * (number % one_in != first))
        for number, value in enumerate(values)
    ]


def examples(quick: int, all: int, **others: Any) -> settings:
    """Return the settings of a Hypothesis test that has fewer examples in `make test`."""
    return settings(max_examples=quick if _run["is_quick"] else all, **others)
