"""The worked scenarios of the large-warp paper with branches; barrel.py has those with loads."""

from __future__ import annotations

from dataclasses import replace

from .scenarios import Scenario, alu, ld, script

FORK = Scenario(
    f"cbr $c0, @C\n {alu(1)} br @D\n @C: {alu(1)} @D: ret\n", width=4, masks={"c0": "0100"}
)
X1 = replace(FORK, warps=2, workgroup=2, masks={"c0": "01011010"})

F7_ROWS = "1011/0100/0011/1000/0010/0101/1001/0100"
F7 = Scenario(
    f"cbr $c0, @X\n {alu(1)} @X: ret\n",
    width=4,
    warps=8,
    workgroup=8,
    masks={"c0": F7_ROWS.replace("/", "").translate(str.maketrans("01", "10"))},
)

# The lanes of a large warp part at its first load, meet at the branch, and part again.
MEET = Scenario(
    f"{ld('d0')} {alu(1)} cbr $c0, @D\n {ld('d1')} {alu(1)} @D: ret\n",
    width=4,
    warps=2,
    workgroup=2,
    miss=20,
    masks={"c0": "00011000"},
    lines={"d0": "abcdefgh", "d1": "ijklmnop"},
    script=script("hhhmhmmm", "hmm..hhm"),
)
