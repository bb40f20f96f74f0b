"""The worked scenarios of the MAWS paper that are not the DWS paper's own (scenarios.py)."""

from __future__ import annotations

from .scenarios import Scenario, alu, follow, ld, named, script


def node(n: int) -> str:
    """The line of node n of a scenario's first chain, as a letter."""
    return chr(ord("a") + 30 + n)


F6 = Scenario(
    # Two warps: one issues ten instructions up to its miss, the other two. Branches count.
    f"""@A: cbr $c0, @Q, nosubdivide
    @P: {alu(8)} br @M
    @Q: {alu(1)}
    @M: {named("a", ld("d0"))} {alu(10)} ret
    """,
    width=2,
    warps=2,
    miss=20,
    masks={"c0": "0011"},
    lines={"d0": "abcd"},
    script=script("mmmm"),
)

# Three warps; the first one splits at its first load.
LAGGARD = Scenario(
    f"{named('a', ld('d0'))} {alu(3)} {named('b', ld('d1'))} {alu(1)} ret\n",
    width=2,
    warps=3,
    miss=4,
    lines={"d0": "abcdef", "d1": "ghijkl"},
    script=script("hmhhhh", "hhhhhh"),
)

# A loop that lanes leave one by one; two of them miss once, and fall behind.
X1 = Scenario(
    f"""@L: {named("a", follow("d0"))} cmp_ne_u64 $c0, $d0, $d1
        cbr $c0, @L
    @X: {alu(1)} ret
    """,
    width=4,
    chain={"d0": 4},
    # A lane leaves when it has come to this node: after 3, 2, 2, 3 iterations.
    lines={"d1": node(3) + node(2) + node(2) + node(3)},
    script=script("hhhh", "hhmm", "m..h"),
)

X2 = Scenario(
    f"@A: {alu(14)} {named('a', ld('d0'))} {alu(9)} {named('b', ld('d1'))} {alu(4)} ret\n",
    width=4,
    lines={"d0": "abcd", "d1": "efgh"},
    script={**script("hh", "hhhm"), (2, 0): (False, 62), (3, 0): (False, 62)},
)

X2B = Scenario(
    f"@A: {alu(39)} {named('a', ld('d0'))} {alu(1)} ret\n",
    width=2,
    lines={"d0": "ab"},
    script=script("hm"),
)

BREAK = Scenario(
    # A loop that lanes leave by one branch and close by another, both of which join behind it.
    f"""@L: {named("a", follow("d0"))} cmp_eq_u64 $c0, $d0, $d1
        cbr $c0, @X
        {alu(1)} cmp_ne_u64 $c1, $d0, 0
        cbr $c1, @L
    @X: {alu(1)} ret
    """,
    width=4,
    chain={"d0": 6},
    lines={"d1": node(4) + node(3) + node(3) + node(4)},
    script=script("hhhh", "hhhm"),
)

BEHIND = Scenario(
    # The stack's other path is not empty: who has left the loop runs it together, at the end.
    f"""@L: {named("a", follow("d0"))} cmp_eq_u64 $c0, $d0, $d1
        cbr $c0, @E, @X
        br @L
    @E: {alu(2)}
    @X: {alu(1)} ret
    """,
    width=4,
    chain={"d0": 4},
    lines={"d1": node(3) + node(2) + node(2) + node(3)},
    script=script("hhhh", "hhmm"),
)

X3 = """
kernel k(u32 %value, global u32* %x, global u32* %seen) {
    ld_kernarg_u64    $d0, [%x]
    ld_kernarg_u64    $d2, [%seen]
    workitemid_u32    $s0, 0
    cvt_u64_u32       $d1, $s0
    mad_u64           $d0, $d1, 4, $d0          // both workgroups have the same line of x
    workitemabsid_u32 $s1, 0
    cvt_u64_u32       $d1, $s1
    mad_u64           $d2, $d1, 4, $d2
    ld_global_u32     $s2, [$d0]
    cmp_ge_u32        $c0, $s1, 8
    cbr               $c0, @read
    ld_kernarg_u32    $s3, [%value]
    st_global_u32     $s3, [$d0]                // the first one writes
    ret
@read:                                          // the second one reads
    ld_global_u32     $s2, [$d0]
    st_global_u32     $s2, [$d2]
    ret
}
"""
