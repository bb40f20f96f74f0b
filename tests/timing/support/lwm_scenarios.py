"""The worked scenarios of the large-warp paper with branches; barrel.py has those with loads."""

from __future__ import annotations

from dataclasses import replace

from .scenarios import Scenario, alu

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
