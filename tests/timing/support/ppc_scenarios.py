"""The worked scenarios of the paired-path paper.

Code is at the addresses of the papers: the first instruction is at 00, each has 8 bytes.
"""

from __future__ import annotations

from dataclasses import replace

from .scenarios import Scenario, alu

IF_ELSE = Scenario(
    f"{alu(1)} cbr $c0, @C\n {alu(2)} br @D\n @C: {alu(2)} @D: {alu(1)} ret\n",
    masks={"c0": "01100000"},
)
NESTED = Scenario(
    f"""cbr $c0, @A\n {alu(1)} cbr $c1, @B\n {alu(1)} br @E\n @B: br @E
    @A: {alu(2)} @E: {alu(1)} ret
    """,
    masks={"c0": "00001111", "c1": "00110000"},
)


def short_circuit(b: str) -> Scenario:
    return Scenario(
        f"""{alu(1)} cbr $c0, @X\n {alu(1)} cbr $c1, @X\n {alu(2)} br @E
        @X: {alu(3)} @E: {alu(1)} ret
        """,
        masks={"c0": "11110000", "c1": b},
    )


GOTO_ERROR = Scenario(
    f"""cbr $c0, @A\n {alu(1)} cbr $c1, @ERROR\n br @D
    @A: {alu(1)} cbr $c1, @ERROR\n br @D\n {alu(1)}
    @ERROR: {alu(2)} @D: {alu(1)} ret
    """,
    masks={"c0": "00001111", "c1": "11111111"},
)
LOWER_JOIN = Scenario(
    f"br @TOP\n @J: {alu(1)} ret\n @TOP: cbr $c0, @C\n {alu(1)} br @J\n @C: {alu(1)} br @J\n",
    masks={"c0": "00001111"},
)
# The loop's condition takes an instruction more than in the paper: 4 more of 10 lanes in all.
_LOOP = f"{alu(1)} @L: cmp_gt_u32 $c0, $s0, 0\n sub_u32 $s0, $s0, 1\n cbr $c0, @L\n"
LOOP = Scenario(f"{_LOOP} {alu(1)} ret\n", width=4, numbers={"s0": range(4)})
# The paper's own code, plain engine only: no instruction computes the condition.
_LISTED = f"{alu(1)} @L: {alu(1)} cbr $c0, @L\n"
_LEAVING = {"c0": ["0111", "0011", "0001", "0000"]}
LOOP_LISTED = Scenario(f"{_LISTED} {alu(1)} ret\n", width=4, outcomes=_LEAVING)
IF_ELSE_MARKED = replace(
    IF_ELSE,
    body=f"{alu(1)} cbr $c0, @C\n {alu(2)} br @D\n @C: {alu(2)} @D: reconverge\n {alu(1)} ret\n",
)
LOOP_MARKED = replace(LOOP, body=f"{_LOOP} reconverge\n {alu(1)} ret\n")
LOOP_LISTED_MARKED = replace(LOOP_LISTED, body=f"{_LISTED} reconverge\n {alu(1)} ret\n")
NESTED_MARKED = replace(
    NESTED,
    body=f"""cbr $c0, @A, @OUTER\n {alu(1)} cbr $c1, @B, @INNER\n {alu(1)} br @INNER
    @B: br @INNER\n @A: {alu(1)} br @OUTER
    @INNER: reconverge\n @OUTER: reconverge\n {alu(1)} ret
    """,
)
