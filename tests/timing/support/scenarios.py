"""The worked scenarios of the DWS paper as programs: code, masks, which accesses hit.

F3 to F12 are figures of the paper; X1 to X10 each pin down a rule (docs/papers.md, "Scenarios").
An access names a register that holds the line of each work-item. Masks have lane 0 on the left.
Latencies are those of the toy machine: a hit takes a cycle, a miss `miss` cycles.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

HIT, MISS = (True, 0), (False, 0)


def alu(n: int) -> str:
    """Return n instructions that take a cycle each."""
    return "add_u32 $s9, $s9, 1\n" * n


def named(name: str, line: str) -> str:
    """Return an instruction under a label."""
    return f"@{name}:\n{line}"


def ld(register: str) -> str:
    """Return a load from the address in a register."""
    return f"ld_global_u32 $s8, [${register}]\n"


def follow(register: str, into: str = "") -> str:
    """Return a load of the next address of a chain, into the same register or `into`."""
    return f"ld_global_u64 ${into or register}, [${register}]\n"


def script(*accesses: str) -> dict[tuple[int, int], tuple[bool, int]]:
    """Return (work-item, access) -> (hit, latency or 0 for the machine's), from a text per access.

    A text has a character per work-item: h hits, m misses, anything else follows the natural rule.
    """
    answers = {"h": HIT, "m": MISS}
    return {
        (item, n): answers[c]
        for n, text in enumerate(accesses)
        for item, c in enumerate(text)
        if c in answers
    }


@dataclass(frozen=True)
class Scenario:
    """A kernel body, the machine's shape, and the first values of registers."""

    body: str
    width: int = 8
    warps: int = 1
    workgroup: int = 1
    """Warps per workgroup."""
    miss: int = 10
    masks: Mapping[str, str] = field(default_factory=dict)
    """Condition register -> lanes in which it is true."""
    outcomes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Condition register -> lanes that take its branch, execution by execution (outcomes.py)."""
    lines: Mapping[str, str] = field(default_factory=dict)
    """Address register -> the line of each work-item, a letter each."""
    chain: Mapping[str, int] = field(default_factory=dict)
    """Address register -> how many loads of it lead to address 0."""
    numbers: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Register -> the number of each work-item."""
    script: Mapping[tuple[int, int], tuple[bool, int]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        body = re.sub(r"(@\w+:)", r"\1\n", self.body)
        return f"kernel k(global u64* %memory) {{\n{body}}}\n"


# An if-else: lanes 5 and 6 take C, the others B.
F3 = Scenario(
    f"@A: {alu(2)} cbr $c0, @C\n @B: {alu(3)} br @D\n @C: {alu(2)} @D: {alu(2)} ret\n",
    masks={"c0": "00000110"},
)

# An access in each path: it misses in B and hits in C.
F4 = Scenario(
    f"""@A: {alu(1)} cbr $c0, @C, @D, subdivide
    @B: {named("x", ld("d0"))} {alu(4)} br @D
    @C: {alu(2)} {named("y", ld("d1"))} {alu(3)}
    @D: {alu(2)} ret
    """,
    masks={"c0": "00000110"},
    lines={"d0": "xxxxxxxx", "d1": "yyyyyyyy"},
    script=script("mmmmmhhm"),
)

# A miss in path C, and one at an access after the join that both paths reach.
F5 = Scenario(
    f"""@A: {alu(1)} cbr $c0, @C, @D, subdivide
    @B: {alu(4)} br @D
    @C: {named("y", ld("d1"))} {alu(3)}
    @D: {alu(1)} {named("z", ld("d2"))} {alu(2)} ret
    """,
    miss=12,
    masks={"c0": "00000110"},
    lines={"d1": "yyyyyyyy", "d2": "zzzzzzzz"},
)

# Nested branches: only the inner one may split the warp, and one of its sides misses.
_F6_BODY = f"""@A: {alu(1)} cbr $c0, @C, @G, nosubdivide
    @B: {alu(1)} cbr $c1, @D, @F, subdivide
    @E: {named("e", ld("d0"))} {alu(1)} br @F
    @D: {alu(3)}
    @F: {named("f", ld("d1"))} {alu(4)} br @G
    @C: {alu(2)}
    @G: {alu(1)} ret
    """
_F6_MASKS = {"c0": "00000110", "c1": "00011001"}
_F6_LINES = {"d0": "eeeeeeee", "d1": "ffffffff"}

# The access after the inner join hits in F6, and misses in F6B.
F6 = Scenario(_F6_BODY, masks=_F6_MASKS, lines=_F6_LINES, script=script("mmmhh..h", "hhh....."))
F6B = Scenario(_F6_BODY, masks=_F6_MASKS, lines=_F6_LINES)

_TWO_LOADS = f"@A: {named('a', ld('d0'))} {alu(3)} {named('b', ld('d1'))} {alu(3)} ret\n"

# Each lane hits at one of two loads and misses at the other.
F8 = Scenario(
    _TWO_LOADS, width=2, miss=20, lines={"d0": "ab", "d1": "cd"}, script=script("hm", "mh")
)
# As F8, but both lanes want the same line at the second load.
F9 = Scenario(_TWO_LOADS, width=2, miss=20, lines={"d0": "ab", "d1": "cc"}, script=script("hm"))
# Two warps: lane 0 of warp 1 hits, and can run ahead to its second miss, which is too early.
F10 = Scenario(
    f"@A: {named('a', ld('d0'))} {alu(15)} {named('b', ld('d1'))} {alu(2)} ret\n",
    width=2,
    warps=2,
    lines={"d0": "abcd", "d1": "efgh"},
    script=script("mmhm", "mmmm"),
)

# Two divergent accesses in one path of a branch.
F12 = Scenario(
    f"""@A: {alu(1)} cbr $c0, @C, @D, nosubdivide
    @B: {named("x", ld("d0"))} {alu(2)} {named("y", ld("d1"))} {alu(2)} br @D
    @C: {alu(2)}
    @D: {alu(1)} ret
    """,
    miss=12,
    masks={"c0": "00000110"},
    lines={"d0": "abcdefgh", "d1": "ijklmnop"},
    script=script("hhhmm..m", "hhmhh..h"),
)

# A loop in which lane 1 misses once.
X1 = Scenario(
    f"@L: {follow('d0')} cmp_ne_u64 $c0, $d0, 0\n cbr $c0, @L, nosubdivide\n@X: {alu(2)} ret\n",
    width=2,
    chain={"d0": 6},
    script=script("hm", *["hh"] * 5),
)

# Two warps: warp 0 diverges at both loads, warp 1 misses as a whole and keeps it from splitting.
X2 = Scenario(
    _TWO_LOADS,
    width=2,
    warps=2,
    miss=20,
    lines={"d0": "abcd", "d1": "efgh"},
    script=script("hmmm", "mhhh"),
)

# A loop in a loop, instruction by instruction as in the text; lane 1 misses once, in the outer one.
X3_LISTED = Scenario(
    f"""@O: {named("a", ld("d0"))}
    @I: {named("b", ld("d1"))} {alu(1)} cbr $c0, @I, nosubdivide
    @Y: cbr $c1, @O, nosubdivide
    @X: {alu(1)} ret
    """,
    width=2,
    miss=8,
    lines={"d0": "ab", "d1": "cd"},
    outcomes={"c0": (["11"] * 5 + ["00"]) * 3, "c1": ["11", "11", "00"]},
    script=script("hm", *["hh"] * 20),
)

# The same with conditions that its instructions compute, for the compiled engine.
X3 = Scenario(
    # The condition of the outer loop is computed in the last inner iteration, which is at J: one of
    # its own would take an instruction. J's branch never goes back: $c0 is false by then.
    f"""@O: {named("a", follow("d0", "d1"))}
    @I: {follow("d1")} cmp_ne_u64 $c0, $d1, 0
        cbr $c0, @I, nosubdivide
    @J: {follow("d2")} cmp_ne_u64 $c1, $d2, 0
        cbr $c0, @I, nosubdivide
    @Y: cbr $c1, @O, nosubdivide
    @X: {alu(1)} ret
    """,
    width=2,
    miss=8,
    chain={"d0": 6, "d2": 3},
    script=script("hm", *["hh"] * 20),
)

# A miss in each path, and a divergent access after the join.
X4 = Scenario(
    f"""@A: {alu(1)} cbr $c0, @C, @D, subdivide
    @B: {named("x", ld("d0"))} {alu(1)} br @D
    @C: {alu(1)}
    @D: {named("y", ld("d1"))} {alu(2)} ret
    """,
    width=4,
    masks={"c0": "0011"},
    lines={"d0": "abcd", "d1": "efgh"},
    script=script("mmmm", "hm.."),
)

# Two warps: one lane of each misses, then both warps diverge at a branch.
X5 = Scenario(
    f"""@A: {named("a", ld("d0"))} cbr $c0, @C, @D, nosubdivide
    @B: {alu(2)} br @D
    @C: {alu(1)}
    @D: {alu(1)} ret
    """,
    width=4,
    warps=2,
    masks={"c0": "01000100"},
    lines={"d0": "abcdefgh"},
    script=script("hhhmhhhm"),
)

# Nested branches, for machines with few scheduler slots.
X6 = Scenario(
    f"""@A: {alu(1)} cbr $c0, @C, @G, nosubdivide
    @B: {alu(1)} cbr $c1, @E, @F, subdivide
    @D: {alu(2)} br @F
    @E: {alu(1)}
    @F: {named("x", ld("d0"))} {alu(1)} br @G
    @C: {alu(1)}
    @G: {alu(1)} ret
    """,
    width=4,
    masks={"c0": "0001", "c1": "0010"},
    lines={"d0": "aaaa"},
    script=script("hhhh"),
)

# A barrier of two warps; one lane of warp 0 misses before it.
X7 = Scenario(
    f"@A: {named('a', ld('d0'))} {alu(1)}\n{named('w', 'barrier')}\n @B: {alu(1)} ret\n",
    width=2,
    warps=2,
    workgroup=2,
    lines={"d0": "abcd"},
    script=script("hmhh"),
)

# Three loads, each missed by a different lane.
X9 = Scenario(
    f"""@A: {named("a", ld("d0"))} {alu(1)} {named("b", ld("d1"))} {alu(1)}
        {named("c", ld("d2"))} {alu(1)} ret
    """,
    width=4,
    miss=20,
    lines={"d0": "abcd", "d1": "efgh", "d2": "ijkl"},
    script=script("hhhm", "hhmh", "hmhh"),
)

# Lane 1 misses at both loads: it is the critical path.
X10 = Scenario(
    _TWO_LOADS, width=2, miss=20, lines={"d0": "ab", "d1": "cd"}, script=script("hm", "hm")
)

# Lane 3 comes to the load y by a branch while lanes 0 and 1, which have loaded y, are ready there.
ONE_PC = Scenario(
    f"""@A: cbr $c0, @P, @D, subdivide
    @B: br @D
    @P: {alu(5)} cbr $c1, @D, @D, subdivide
    @Q: {named("z", ld("d0"))}
    @D: {named("y", ld("d1"))} {alu(2)} ret
    """,
    width=4,
    masks={"c0": "0011", "c1": "0001"},
    lines={"d0": "zzzz", "d1": "yyyy"},
    miss=6,
)

# Lanes 1 and 3 come to block E by branches of two splits, and have not begun it.
ONE_BLOCK = Scenario(
    f"""@A: cbr $c0, @P, @X, subdivide
    @B: cbr $c1, @E, @X, subdivide
    @F: {named("x", ld("d0"))} br @X
    @P: cbr $c1, @E, @X, subdivide
    @Q: {named("z", ld("d0"))} br @X
    @E: {alu(2)} {named("y", ld("d1"))} {alu(1)}
    @X: {alu(1)} ret
    """,
    width=4,
    masks={"c0": "0011", "c1": "0101"},
    lines={"d0": "abcd", "d1": "yyyy"},
    miss=12,
)

# Each lane of a warp misses for another time: lane 1 is served long before lane 2.
SERVED = Scenario(
    f"@A: {named('a', ld('d0'))} {alu(2)} {named('b', ld('d1'))} {alu(1)} ret\n",
    width=4,
    lines={"d0": "abcd", "d1": "efgh"},
    script={
        **script("hmmm", "mmhh"),
        (1, 0): (False, 6),
        (2, 0): (False, 20),
        (3, 0): (False, 20),
    },
)

# Two warps that miss in all lanes; one lane is served soon.
IN_THE_BARREL = Scenario(
    f"@A: {named('a', ld('d0'))} {alu(1)} ret\n",
    width=2,
    warps=2,
    miss=20,
    lines={"d0": "abcd"},
    script={**script("mmmm"), (0, 0): (False, 2)},
)

# Four warps of two lanes: warps 0 to 2 are suspended whole, warp 3 misses as a whole.
CANDIDATES = Scenario(
    f"@A: {named('a', ld('d0'))} {alu(1)} {named('b', ld('d1'))} {alu(1)} ret\n",
    width=4,
    warps=4,
    miss=20,
    lines={"d0": "abcdefghijklmnop", "d1": "abcdefghijklmnop"},
    script=script("hmmmhhmmhmmmmmmm", "mmmmmmmmmmmmmmmm"),
)

# In a path that was pushed a lane misses, and the others disagree at a branch.
STALL = Scenario(
    f"""@A: cbr $c0, @C, @G, nosubdivide
    @B: {named("a", ld("d0"))} cbr $c1, @E, @F, nosubdivide
    @D: {alu(1)} br @F
    @E: {alu(2)}
    @F: {alu(1)} br @G
    @C: {alu(1)}
    @G: {alu(1)} ret
    """,
    width=4,
    masks={"c0": "0001", "c1": "0100"},
    lines={"d0": "abcd"},
    script=script("hhm."),
)

_COUNT = "sub_u32 $s1, $s1, 1\n cmp_gt_s32 $c0, $s1, 0\n cbr $c0, @L, nosubdivide\n"

LEAVING = Scenario(
    # Lanes leave the loop one by one, one of them while another is left behind.
    f"@L: {named('a', ld('d0'))} {_COUNT} @X: {alu(1)} ret\n",
    width=4,
    miss=20,
    lines={"d0": "abcd"},
    numbers={"s1": (1, 2, 3, 3)},
    script=script("hhhh", ".hhm", "..hh", "...h"),
)

APART = Scenario(
    # Lane 0 waits at a branch for lane 1, which has left the loop and will not arrive.
    f"""@A: cbr $c2, @Z, nosubdivide
    @L: cbr $c1, @M, nosubdivide
    @B: {alu(1)}
    @M: {named("a", ld("d0"))} {_COUNT}
    @Z: {alu(1)} ret
    """,
    width=4,
    masks={"c1": "0000", "c2": "0011"},
    lines={"d0": "abcd"},
    numbers={"s1": (2, 1, 0, 0)},
    script=script("hm..", "h..."),
)

SCARCE: dict[str, dict[str, Any]] = {"X5": {"wst_entries": 2}, "X6": {"slots": 1}}
"""What a scenario's machine has little of."""
