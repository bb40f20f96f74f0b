"""Conditions on sums, of which the strictest ones are computed."""

from __future__ import annotations

import pytest

from simtlab.emu.jit.kernel.interior.bounds import Bound, Conditions
from simtlab.emu.jit.llvm.function_text import FunctionText
from simtlab.emu.jit.llvm.text import ModuleText

ROW, SIZE = (("%row", 1),), (("%size", -1),)


@pytest.fixture
def entry() -> FunctionText:
    return FunctionText(ModuleText())


@pytest.fixture
def conditions(entry: FunctionText) -> Conditions:
    return Conditions(entry, entry.elsewhere())


def scaled(terms: tuple[tuple[str, int], ...], factor: int) -> tuple[tuple[str, int], ...]:
    return tuple((name, scale * factor) for name, scale in terms)


def test_only_the_strictest_limit_of_a_sum_is_computed(
    conditions: Conditions, entry: FunctionText
) -> None:
    for constant in (4, 9, -3, 9):
        conditions.at_most(Bound(scaled(ROW, 4), SIZE, constant), 0)
        conditions.at_most(Bound(scaled(ROW, -4), scaled(SIZE, -1), constant), 0)
    ((_, (low, high)),) = conditions.limits()
    lines = [line for line in entry.lines if " = " in line]
    numbers = {name: line.split(" = ")[1] for line in lines for name in [line.split()[0]]}
    assert numbers[str(low)].startswith("ashr")
    assert numbers[str(high)].startswith("ashr")
    assert not any("llvm.smin" in line or "llvm.smax" in line for line in lines)
    # 4 * row <= size - 9, rounded down, and 4 * row >= size + 9, rounded up.
    assert [line.split(", ")[-1] for line in lines if " add " in line] == ["12", "-9"]


def test_sums_that_differ_are_compared(conditions: Conditions, entry: FunctionText) -> None:
    conditions.at_most(Bound(ROW, SIZE, 1), 0)
    conditions.at_most(Bound(ROW, (("%other", -1),), 1), 0)
    conditions.at_most(Bound(scaled(ROW, 2), SIZE, 1), 0)
    list(conditions.limits())
    assert sum("llvm.smin" in line for line in entry.lines) == 2


def test_conditions_of_a_call_are_asked_once(conditions: Conditions, entry: FunctionText) -> None:
    for constant in (1, 7, 3):
        conditions.at_most(Bound((), SIZE, constant), 0)
        conditions.require_of_call("%near")
    conditions.of_call()
    assert sum("icmp sle" in line for line in entry.lines) == 1
    assert sum(" add i64" in line and line.endswith(", 7") for line in entry.lines) == 1
    assert sum("%near" in line for line in entry.lines) == 1


def test_limits_are_dropped(conditions: Conditions, entry: FunctionText) -> None:
    conditions.at_most(Bound(ROW, SIZE, 1), 0)
    conditions.at_most(Bound((), SIZE, 1), 0)
    mark = conditions.mark()
    conditions.at_most(Bound(ROW, SIZE, 5), 0)
    conditions.at_most(Bound((), SIZE, 5), 0)
    conditions.require_of_call("%near")
    conditions.back_to(mark)
    list(conditions.limits())
    conditions.of_call()
    assert not any(line.endswith((", 5", ", -5")) for line in entry.lines)
    assert not any("%near" in line for line in entry.lines)
