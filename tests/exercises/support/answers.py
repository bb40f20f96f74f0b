"""Wrong answers, as students write them: a change of the solution, and why it must be rejected."""

# Lines of kernels are as wide as they are.
# ruff: noqa: E501

from __future__ import annotations

from dataclasses import dataclass

from simtlab.exercises import find


@dataclass(frozen=True)
class WrongAnswer:
    """Replacements in the solution of an exercise, the state of the report, and a part of it."""

    exercise: str
    title: str
    changes: tuple[tuple[str, str], ...]
    state: str
    message: str

    @property
    def text(self) -> str:
        """The wrong answer."""
        text = find(self.exercise).solution.read_text(encoding="utf-8")
        for old, new in self.changes:
            assert text.count(old) == 1, f"{old!r} must be once in the solution"
            text = text.replace(old, new)
        return text

    def __str__(self) -> str:
        return f"{self.exercise}: {self.title}"


def _wrong(exercise: str, title: str, state: str, message: str, *changes: tuple[str, str]):
    return WrongAnswer(exercise, title, changes, state, message)


_GUARD = """    cmp_ge_u32          $c0, $s0, $s1
    cbr                 $c0, @done
"""
_BOTH = """    cmp_ge_u32          $c1, $s1, $s3
    or_b1               $c0, $c0, $c1
"""
_COUNT = "    atomic_add_group_u32 [counters+$s6], $s5"
_SHIFT = "    shl_u32             $s6, $s6, 2\n"
_TILE = """    mad_u32             $s11, $s0, LINE, $s8
    shl_u32             $s11, $s11, 2
    ld_group_u32        $s10, [tile+$s11]       // tile[tx][row of the tile]
"""
_DEAL = """    mov_u32             $s3, $s0
    mov_u32             $s4, $s1
"""
_PAIR = """    mov_u32             $s7, $s0
    add_u32             $s8, $s0, $s5
"""
_LANES = """    and_u32             $s2, $s0, 31            // my lane
    shr_u32             $s7, $s0, 5             // my warp: 0 takes even elements, 1 odd ones
    shl_u32             $s2, $s2, 1
    add_u32             $s2, $s2, $s7
"""
_BARRIER_2 = (
    "    barrier                                     // all have read before the next store\n"
)
_TRY = """    cmp_ne_u32          $c0, $s3, 0             // true: it was not free
    cbr                 $c0, @next
"""
_TREE = """    barrier
    cmp_ge_u32          $c0, $s0, $s5
    cbr                 $c0, @idle
"""
_DIRECT = """    cvt_u64_u32 $d2, $s6
    ld_kernarg_u64 $d3, [%bins]
    mad_u64 $d3, $d2, 4, $d3
    atomic_add_global_u32 [$d3], $s5"""
_RANK = "    return S.warps - group(S, g).warp"

WRONG = (
    _wrong(
        "masked-add",
        "no guard",
        "trap",
        r"with n=1 the kernel traps \(line \d+\): .*out-of-bounds load",
        (_GUARD, ""),
    ),
    _wrong(
        "masked-add",
        "the guard is one too late",
        "trap",
        r"with n=1 .*; work-item 1 ",
        ("cmp_ge_u32          $c0, $s0, $s1", "cmp_gt_u32          $c0, $s0, $s1"),
    ),
    _wrong(
        "masked-add",
        "the guard is the wrong way round",
        "trap",
        r"with n=1 .*; work-item 1 ",
        ("cmp_ge_u32          $c0, $s0, $s1", "cmp_lt_u32          $c0, $s0, $s1"),
    ),
    _wrong(
        "masked-add",
        "all jump to the end",
        "wrong",
        r"y\[0\] should be \d+ and is \d+ .*belongs to work-item 0; no work-item stores to it; x\[0\] = ",
        ("    cbr                 $c0, @done\n", "    br @done\n"),
    ),
    _wrong(
        "masked-add",
        "a difference",
        "wrong",
        r"work-item 0 stores it in line 15: `st_global_u32 \$s3, \[\$d1\]`",
        ("add_u32             $s3, $s2, $s3", "sub_u32             $s3, $s2, $s3"),
    ),
    _wrong(
        "map-2d",
        "no guard for rows",
        "trap",
        r"with width=1, height=1 the kernel traps .*work-item \(0, 1, 0\)",
        (_BOTH, ""),
    ),
    _wrong(
        "map-2d",
        "no guard for columns",
        "trap",
        r"the kernel traps",
        ("cmp_ge_u32          $c0, $s0, $s2", "mov_b1 $c0, 0"),
    ),
    _wrong(
        "map-2d",
        "column by column",
        "wrong",
        r"with width=32, height=4 the result is wrong: y\[0, 1\] .*belongs to work-item \(1, 0\)",
        ("mad_u32             $s4, $s1, $s2, $s0", "mad_u32             $s4, $s0, $s3, $s1"),
    ),
    _wrong(
        "divergence",
        "work-item i takes element i",
        "targets",
        r"divergent-branches, active-lanes miss|divergent-branches and active-lanes miss",
        (_LANES, "    mov_u32 $s2, $s0\n"),
    ),
    _wrong(
        "divergence",
        "the lane is not cut to 32",
        "wrong",
        r"y\[\d+\] should be .*no work-item stores to it",
        ("and_u32             $s2, $s0, 31            // my lane", "mov_u32 $s2, $s0"),
    ),
    _wrong(
        "coalescing",
        "a block for each work-item",
        "targets",
        r"lines-per-access misses the target",
        (_DEAL, "    mul_u32 $s3, $s0, EACH\n    mov_u32 $s4, 1\n"),
    ),
    _wrong(
        "coalescing",
        "the distance is a workgroup",
        "wrong",
        r"y\[\d+\] should be .*no work-item stores to it",
        (_DEAL, "    mov_u32 $s3, $s0\n    mov_u32 $s4, 64\n"),
    ),
    _wrong("transpose", "no barrier", "wrong", r"the result is wrong: y\[", ("    barrier\n", "")),
    _wrong(
        "transpose",
        "the tile is not mirrored",
        "wrong",
        r"y\[0, 1\] should be .*x\[1, 0\] = ",
        ("mad_u32             $s11, $s0, LINE, $s8", "mad_u32             $s11, $s8, LINE, $s0"),
    ),
    _wrong(
        "transpose",
        "without the tile",
        "targets",
        r"lines-per-access misses",
        (
            _TILE,
            """    mad_u32 $s11, $s6, $s4, $s7
    cvt_u64_u32 $d0, $s11
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s10, [$d1]
""",
        ),
    ),
    _wrong(
        "reduction",
        "the barrier is inside of the if",
        "trap",
        r"divergent barrier: of the workgroup, 64 work-items wait",
        (
            _TREE,
            "    cmp_ge_u32          $c0, $s0, $s5\n    cbr                 $c0, @idle\n    barrier\n",
        ),
    ),
    _wrong(
        "reduction",
        "no barrier",
        "wrong",
        r"sums\[0\] should be .*it is the sum of the 127 numbers",
        ("    barrier\n", ""),
    ),
    _wrong(
        "reduction",
        "indices are not scaled",
        "trap",
        r"misaligned",
        ("    shl_u32             $s7, $s7, 2\n", ""),
    ),
    _wrong(
        "reduction-banks",
        "neighbours first",
        "targets",
        r"bank-conflicts misses the target",
        (
            _PAIR,
            "    mul_u32 $s7, $s0, $s10\n    shl_u32 $s7, $s7, 1\n    add_u32 $s8, $s7, $s10\n",
        ),
    ),
    _wrong(
        "reduction-banks",
        "a fixed distance",
        "wrong",
        r"sums\[0\] should be",
        ("add_u32             $s8, $s0, $s5", "add_u32             $s8, $s0, 64"),
    ),
    _wrong(
        "prefix-sum",
        "no second barrier",
        "wrong",
        r"is wrong: y\[\d+\] .*it is the sum of x\[\d+\] to",
        (_BARRIER_2, ""),
    ),
    _wrong(
        "prefix-sum",
        "the first ones read below the array",
        "trap",
        r"out-of-bounds load from group",
        ("    cbr                 $c0, @first\n", ""),
    ),
    _wrong(
        "prefix-sum",
        "no barrier before reading",
        "wrong",
        r"is wrong: y\[\d+\]",
        (
            "    barrier                                     // all sums of the last step are there\n",
            "",
        ),
    ),
    _wrong(
        "histogram",
        "load, add, store",
        "wrong",
        r"bins\[\d+\] should be \d+ and is .*byte \d+ occurs \d+ times",
        (
            _COUNT,
            "    ld_group_u32 $s9, [counters+$s6]\n    add_u32 $s9, $s9, 1\n    st_group_u32 $s9, [counters+$s6]",
        ),
    ),
    _wrong("histogram", "offsets are not scaled", "trap", r"misaligned", (_SHIFT, "")),
    _wrong(
        "histogram",
        "counters go to the bins by a store",
        "wrong",
        r"bins\[\d+\] should be",
        ("atomic_add_global_u32 [$d3], $s8", "st_global_u32 $s8, [$d3]"),
    ),
    _wrong(
        "histogram",
        "counting in global memory",
        "targets",
        r"cycles misses the target",
        (_SHIFT + _COUNT, _DIRECT),
        ("    atomic_add_global_u32 [$d3], $s8", "    nop"),
    ),
    _wrong(
        "lock",
        "waiting in a loop",
        "hang",
        r"with groups=1 the kernel does not end \(line \d+\)",
        (_TRY, "    cmp_ne_u32          $c0, $s3, 0\n    cbr                 $c0, @try\n"),
    ),
    _wrong(
        "lock",
        "no lock",
        "wrong",
        r"entries\[0\] should be 40 and is .*enters once",
        ("    atomic_cas_global_u32 $s3, [$d0], $s0, $s1\n", "    mov_u32 $s3, 0\n"),
    ),
    _wrong(
        "lock",
        "lanes that fail give up",
        "wrong",
        r"entries\[0\] should be 40",
        ("    cbr                 $c0, @try\n", ""),
    ),
    _wrong(
        "cross-lane",
        "only four steps",
        "wrong",
        r"sums\[0\] should be",
        ("mov_u32             $s4, 16", "mov_u32             $s4, 8"),
    ),
    _wrong(
        "cross-lane",
        "under an if",
        "wrong",
        r"sums\[0\] should be",
        (
            "    activelanepermute_u32 $s7, $s2, $s5         // its v\n",
            "    cmp_ge_u32 $c1, $s3, $s4\n    cbr $c1, @after\n    activelanepermute_u32 $s7, $s2, $s5\n@after:\n",
        ),
    ),
    _wrong(
        "scheduler",
        "the first warps first",
        "targets",
        r"speedup and speedup miss|speedup misses",
        (_RANK, "    return group(S, g).warp"),
    ),
    _wrong("scheduler", "no number", "engine", r"the simulation fails", (_RANK, "    return [g]")),
)
