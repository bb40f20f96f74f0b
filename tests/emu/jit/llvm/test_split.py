"""Modules as several that threads compile at the same time: they compute what one does."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.llvm import cache, passes, split, toolchain
from simtlab.emu.jit.llvm.passes import Level
from simtlab.emu.jit.llvm.toolchain import Compiled, compile_text

from ...support.oracle_work import make
from ..support.against_oracle import assert_as_oracle

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
SHARED = """define internal i64 @seen(i64 %n) noinline #0 {
  %c = load i64, ptr @count
  %d = add i64 %c, %n
  store i64 %d, ptr @count
  ret i64 %d
}
@count = global i64 40
"""
"""A variable that LLVM does not know, as it is not the module's own."""
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


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("%n", "%n0.1"),
        ("@other", "@other.-1"),
        ("@other", '@"the other"'),
        ("@table", "@t.-1$"),
        ("@other(i64 %n)", "@other(i64 range(i64 0, 9999) %n) cold"),
    ],
)
def test_names_and_attributes_are_those_of_llvm(before: str, after: str) -> None:
    """Arguments with digits were left in declarations, which ended at the first parenthesis."""
    text = TWO.replace(before, after)
    assert len(split.split(text, 4)) == 2
    compiled = compile_text(text, ["kernel", "size"], level=Level.QUICK)
    assert answers(compiled) == EXPECTED


def test_parts_share_a_variable_that_is_not_their_own() -> None:
    """Modules that are linked apart have one each."""
    text = SHARED + TWO.replace("call i64 @twice", "call i64 @seen")
    assert len(split.split(text, 4)) == 2
    for _ in range(2):
        compiled = compile_text(text, ["kernel", "size"], level=Level.QUICK)
        first = 43 + SUM
        assert answers(compiled)[0] == first + 43 + 5 + SUM


COLLATZ = """
kernel steps(u32 %n, global u32* %x, global u32* %y) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
    mov_u32 $s3, 0
@again:
    cmp_le_u32 $c0, $s2, 1
    cbr $c0, @out
    and_u32 $s4, $s2, 1
    cmp_eq_u32 $c1, $s4, 0
    shr_u32 $s5, $s2, 1
    mul_u32 $s6, $s2, 3
    add_u32 $s6, $s6, 1
    select_u32 $s2, $c1, $s5, $s6
    add_u32 $s3, $s3, 1
    br @again
@out:
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, 4, $d2
    st_global_u32 $s3, [$d2]
@done:
    ret
}
"""


STACK = COLLATZ.replace(") {", ") {\n    .private u32 kept[8]").replace(
    "    br @again",
    "    and_u32 $s7, $s3, 7\n    mul_u32 $s7, $s7, 4\n"
    "    st_private_u32 $s2, [$s7]\n    ld_private_u32 $s2, [$s7]\n    br @again",
)
"""Lanes have two versions of this loop, and a function that chooses."""


@pytest.mark.parametrize("text", [COLLATZ, STACK], ids=["work-items one by one", "alone"])
@pytest.mark.parametrize("n", [1, 100, 3000])
def test_kernels_with_several_functions_are_those_of_the_oracle(
    text: str, n: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What is linked of several objects runs as one."""
    monkeypatch.setenv("SIMTLAB_CACHE", str(tmp_path))
    monkeypatch.setattr(passes, "ONLY", Level.QUICK)
    code._COMPILED.clear()
    numbers = list[int]()
    cut = split.split

    def counted(ir: str, most: int) -> list[str]:
        parts = cut(ir, most)
        numbers.append(len(parts))
        return parts

    monkeypatch.setattr(split, "split", counted)
    x = np.random.default_rng(n).integers(1, 300, n).astype(np.uint32)
    work, expected = (
        make(text, [n, x.copy(), np.zeros(n, np.uint32)], items=(n,), group_size=(64,))
        for _ in "ab"
    )
    assert not assert_as_oracle(work, expected)
    assert max(numbers) > 1


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
