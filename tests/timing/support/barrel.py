"""Scenarios on the toy machine with the barrel pipeline of the LWM paper."""

from __future__ import annotations

from typing import Any

from .scenarios import Scenario, alu, ld, script
from .toy import Toy


def barrel(scenario: Scenario, policy: str, *, rows: int = 0, **fields: Any) -> Toy:
    """Run a scenario with a barrel of seven stages; a large warp has `rows` rows, if any."""
    if rows:
        fields["policy.warp"] = rows * scenario.width
    return Toy(scenario, policy, **{"issue": "barrel", "pipeline": 7, **fields})


def letters(n: int) -> str:
    return "".join(chr(ord("a") + i) for i in range(n))


def loads(warps: int, phases: int) -> Scenario:
    """Return ten instructions and a load that every warp misses, `phases` times; then ten more."""
    return Scenario(
        (alu(10) + ld("d0")) * phases + alu(9) + "ret\n",
        width=1,
        warps=warps,
        lines={"d0": letters(warps)},
        script=script(*["m" * warps] * phases),
    )


GOES_HOME = """
kernel k(u32 %n, global u32* %x) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64    $d0, [%x]
    cvt_u64_u32       $d1, $s0
    mad_u64           $d0, $d1, 4, $d0
    ld_global_u32     $s1, [$d0]
    cmp_ne_u32        $c0, $s1, 0
    cbr               $c0, @stay
    ret
@stay:
    barrier
    st_global_u32     $s0, [$d0]
    ret
}
"""
"""Work-items whose word of x is 0 return; the others wait at a barrier."""
