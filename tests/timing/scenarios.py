"""The worked scenarios of the DWS paper as programs: code, masks, which accesses hit.

Each access names a register with the line that each work-item wants; masks are written lane 0
first. Latencies are those of the toy machine: a hit a cycle, a miss `miss` cycles.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

HIT, MISS = (True, 0), (False, 0)


def alu(n: int) -> str:
    """So many instructions that only take a cycle each."""
    return "add_u32 $s9, $s9, 1\n" * n


def ld(register: str, name: str = "") -> str:
    """A load from the line that a register of addresses names; it may have a name of its own."""
    return (f"@{name}:\n" if name else "") + f"ld_global_u32 $s8, [${register}]\n"


def follow(register: str) -> str:
    """A load that makes the register of addresses what it finds there."""
    return f"ld_global_u64 ${register}, [${register}]\n"


def script(*accesses: str) -> dict[tuple[int, int], tuple[bool, int]]:
    """What the accesses of each work-item do, from a text per access, a character per work-item.

    h hits, m misses; anything else is left to the natural rule.
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
    """A kernel body, the machine's shape, and what work-items begin with."""

    body: str
    width: int = 8
    warps: int = 1
    miss: int = 10
    masks: Mapping[str, str] = field(default_factory=dict)
    """Condition register -> lanes in which it is true."""
    lines: Mapping[str, str] = field(default_factory=dict)
    """Address register -> the line of each work-item, a letter each."""
    chain: Mapping[str, int] = field(default_factory=dict)
    """Address register -> how many loads of it lead to address 0."""
    script: Mapping[tuple[int, int], tuple[bool, int]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        body = re.sub(r"(@\w+:)", r"\1\n", self.body)
        return f"kernel k(global u64* %memory) {{\n{body}}}\n"


F3 = Scenario(
    f"@A: {alu(2)} cbr $c0, @C\n @B: {alu(3)} br @D\n @C: {alu(2)} @D: {alu(2)} ret\n",
    masks={"c0": "00000110"},
)

F4 = Scenario(
    f"""@A: {alu(1)} cbr $c0, @C, @D, subdivide
    @B: {ld("d0", "x")} {alu(4)} br @D
    @C: {alu(2)} {ld("d1", "y")} {alu(3)}
    @D: {alu(2)} ret
    """,
    masks={"c0": "00000110"},
    lines={"d0": "xxxxxxxx", "d1": "yyyyyyyy"},
    script=script("mmmmmhhm"),
)

F5 = Scenario(
    f"""@A: {alu(1)} cbr $c0, @C, @D, subdivide
    @B: {alu(4)} br @D
    @C: {ld("d1", "y")} {alu(3)}
    @D: {alu(1)} {ld("d2", "z")} {alu(2)} ret
    """,
    miss=12,
    masks={"c0": "00000110"},
    lines={"d1": "yyyyyyyy", "d2": "zzzzzzzz"},
)

_F6_BODY = f"""@A: {alu(1)} cbr $c0, @C, @G, nosubdivide
    @B: {alu(1)} cbr $c1, @D, @F, subdivide
    @E: {ld("d0", "e")} {alu(1)} br @F
    @D: {alu(3)}
    @F: {ld("d1", "f")} {alu(4)} br @G
    @C: {alu(2)}
    @G: {alu(1)} ret
    """
_F6_MASKS = {"c0": "00000110", "c1": "00011001"}
_F6_LINES = {"d0": "eeeeeeee", "d1": "ffffffff"}

F6 = Scenario(_F6_BODY, masks=_F6_MASKS, lines=_F6_LINES, script=script("mmmhh..h", "hhh....."))
F6B = Scenario(_F6_BODY, masks=_F6_MASKS, lines=_F6_LINES)

_TWO_LOADS = f"@A: {ld('d0', 'a')} {alu(3)} {ld('d1', 'b')} {alu(3)} ret\n"

F8 = Scenario(
    _TWO_LOADS, width=2, miss=20, lines={"d0": "ab", "d1": "cd"}, script=script("hm", "mh")
)
F9 = Scenario(_TWO_LOADS, width=2, miss=20, lines={"d0": "ab", "d1": "cc"}, script=script("hm"))
F10 = Scenario(
    f"@A: {ld('d0', 'a')} {alu(15)} {ld('d1', 'b')} {alu(2)} ret\n",
    width=2,
    warps=2,
    lines={"d0": "abcd", "d1": "efgh"},
    script=script("mmhm", "mmmm"),
)

F12 = Scenario(
    f"""@A: {alu(1)} cbr $c0, @C, @D, nosubdivide
    @B: {ld("d0", "x")} {alu(2)} {ld("d1", "y")} {alu(2)} br @D
    @C: {alu(2)}
    @D: {alu(1)} ret
    """,
    miss=12,
    masks={"c0": "00000110"},
    lines={"d0": "abcdefgh", "d1": "ijklmnop"},
    script=script("hhhmm..m", "hhmhh..h"),
)

X1 = Scenario(
    f"@L: {follow('d0')} cmp_ne_u64 $c0, $d0, 0\n cbr $c0, @L, nosubdivide\n@X: {alu(2)} ret\n",
    width=2,
    chain={"d0": 6},
    script=script("hm", *["hh"] * 5),
)

X2 = Scenario(
    _TWO_LOADS,
    width=2,
    warps=2,
    miss=20,
    lines={"d0": "abcd", "d1": "efgh"},
    script=script("hmmm", "mhhh"),
)

X9 = Scenario(
    f"@A: {ld('d0', 'a')} {alu(1)} {ld('d1', 'b')} {alu(1)} {ld('d2', 'c')} {alu(1)} ret\n",
    width=4,
    miss=20,
    lines={"d0": "abcd", "d1": "efgh", "d2": "ijkl"},
    script=script("hhhm", "hhmh", "hmhh"),
)

X10 = Scenario(
    _TWO_LOADS, width=2, miss=20, lines={"d0": "ab", "d1": "cd"}, script=script("hm", "hm")
)


def _inner(n: int) -> str:
    return f"@I{n}: {follow(f'd{n}')} cmp_ne_u64 $c0, $d{n}, 0\n cbr $c0, @I{n}, nosubdivide\n"


X3 = Scenario(
    # The outer loop three times over: a condition of its own would take an instruction.
    "".join(
        f"@O{n}: {ld('d0')} {_inner(n)} cbr $c1, @{f'O{n + 1}' if n < 3 else 'X'}, nosubdivide\n"
        for n in (1, 2, 3)
    )
    + f"@X: {alu(1)} ret\n",
    width=2,
    miss=8,
    lines={"d0": "ab"},
    chain={"d1": 6, "d2": 6, "d3": 6},
    masks={"c1": "11"},
    script=script("hm", *["hh"] * 20),
)
