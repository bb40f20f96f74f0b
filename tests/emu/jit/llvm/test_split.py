"""Modules as several that threads compile at the same time: they compute what one does."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence

import pytest

from simtlab.emu.jit.llvm import cache, split, toolchain
from simtlab.emu.jit.llvm.passes import Level
from simtlab.emu.jit.llvm.toolchain import Compiled, compile_text

LENGTH = 60

TAIL = "attributes #0 = { nounwind }\n!0 = !{}\n"


def function(name: str, lines: Sequence[str], head: str = "define internal") -> str:
    """A function of an i64 %n, whose lines are followed by many sums; the last line is `%v`."""
    sums = "\n".join(f"  %s{i + 1} = add i64 %s{i}, {i}" for i in range(LENGTH))
    body = "\n".join(f"  {line}" for line in lines)
    last = f"  %s0 = add i64 %v, 0\n{sums}\n  ret i64 %s{LENGTH}\n"
    return f"{head} i64 @{name}(i64 %n) noinline #0 {{\n{body}\n{last}}}\n"


SMALL = """define internal i64 @twice(i64 %n) noinline #0 {
  %r = mul i64 %n, 2
  ret i64 %r
}
"""
TABLE = "@table = internal constant [2 x i64] [i64 5, i64 7]\n"
ONE = function("one", ["%v = call i64 @twice(i64 %n)"])
OTHER = function(
    "other", ["%w = call i64 @twice(i64 %n)", "%e = load i64, ptr @table", "%v = add i64 %w, %e"]
)
ENTRY = """define i64 @kernel(i64 %n) #0 {
  %a = call i64 @one(i64 %n)
  %b = call i64 @other(i64 %a)
  ret i64 %b
}
define i64 @size() #0 {
  ret i64 8
}
"""
TWO = SMALL + ONE + OTHER + ENTRY + TABLE + TAIL
SUM = LENGTH * (LENGTH - 1) // 2


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short functions have modules of their own, whatever this machine's CPUs are."""
    monkeypatch.setattr(split, "LEAST", LENGTH // 2)
    monkeypatch.setattr(toolchain, "_cpus", lambda: 4)


def defined(parts: Sequence[str]) -> list[set[str]]:
    """The functions that each part defines."""
    return [set(re.findall(r"^define .*@(\w+)\(", part, re.MULTILINE)) for part in parts]


def answers(compiled: Compiled) -> tuple[int, int]:
    """What the functions of a module return."""
    kernel = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(compiled["kernel"])
    return kernel(3), ctypes.CFUNCTYPE(ctypes.c_int64)(compiled["size"])()


EXPECTED = (2 * (2 * 3 + SUM) + 5 + SUM, 8)


def test_each_long_function_has_a_part() -> None:
    """The last one is with what calls them, if that is short; what both use is in both."""
    assert defined(split.split(TWO, 4)) == [{"kernel", "size", "one", "twice"}, {"other", "twice"}]
    longer = TWO.replace("@size() #0 {\n", "@size() #0 {\n" + LENGTH * "  ; a line\n")
    assert defined(split.split(longer, 4)) == [
        {"kernel", "size"},
        {"other", "twice"},
        {"one", "twice"},
    ]
    assert defined(split.split(longer, 2)) == [
        {"kernel", "size", "one", "twice"}, {"other", "twice"}
    ]  # fmt: skip


def test_a_function_that_only_the_other_one_calls_has_a_part() -> None:
    """It is not in the module of that one, which LLVM would compile as long as before."""
    text = TWO.replace("%b = call i64 @other(i64 %a)", "%b = add i64 %a, 0")
    text = text.replace("%v = call i64 @twice(i64 %n)", "%v = call i64 @other(i64 %n)")
    parts = split.split(text, 4)
    assert [sorted(names & {"one", "other"}) for names in defined(parts)] in (
        [["one"], ["other"]],
        [["other"], ["one"]],
    )


@pytest.mark.parametrize("level", [Level.KERNEL, Level.QUICK])
def test_parts_compute_what_the_module_does(level: Level) -> None:
    """Also from the cache."""
    first, again = (
        compile_text(TWO, ["kernel", "size"], level=level, key=f"{TWO} {level}") for _ in range(2)
    )
    assert again.from_cache
    assert answers(first) == answers(again) == EXPECTED
    payload = toolchain._compile(TWO, level)
    assert len(toolchain._objects_of(payload)) == 2


def test_functions_with_a_variable_stay_together() -> None:
    """Each part would have a variable of its own."""
    text = TWO.replace("internal constant", "internal global")
    assert len(split.split(text, 4)) == 2
    text = text.replace("%v = call i64 @twice(i64 %n)", "%v = load i64, ptr @table")
    assert split.split(text, 4) == [text]


@pytest.mark.parametrize("most", [1, 4])
def test_what_gains_nothing_is_one_module(most: int) -> None:
    """One CPU; one long function; functions that passes may put into their callers."""
    assert split.split(SMALL + ONE + TAIL, most) == [SMALL + ONE + TAIL]
    text = TWO.replace(" noinline", "")
    assert split.split(text, most) == [text]
    if most == 1:
        assert split.split(TWO, most) == [TWO]


def test_passes_over_whole_modules_see_the_whole_module() -> None:
    """They put functions into others, and change their arguments."""
    payload = toolchain._compile(TWO, Level.FULL)
    assert toolchain._objects_of(payload) == [payload]


def test_a_part_that_llvm_refuses_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The threads' problem is that of the caller, and nothing is kept."""
    monkeypatch.setattr(cache, "store", lambda key, payload: pytest.fail("kept"))
    wrong = TWO.replace("%e = load i64, ptr @table", "%e = load i64, ptr %nothing")
    with pytest.raises(RuntimeError, match="undefined value"):
        compile_text(wrong, ["kernel"], level=Level.KERNEL, key="wrong")
    assert answers(compile_text(TWO, ["kernel", "size"], level=Level.KERNEL)) == EXPECTED
