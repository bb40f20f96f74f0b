"""Gives every number of a machine and a policy extreme values: `extreme_values.py MACHINE POLICY`.

A process of its own, which ends by itself when a simulation takes more than a minute: compiled code
that goes round in circles hears no Ctrl-C.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import simtlab
from simtlab.timing.compiler.files import find, settings_of
from simtlab.timing.machines.machine import KEYS, Machine, load
from simtlab.timing.machines.parts import LONGEST

KERNEL = """
kernel k(global u32* %x) {
    .group u32 tile[64]
    .private u32 stack[4]
    workitemabsid_u32 $s0, 0
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s0
    mad_u64 $d1, $d1, 64, $d0
    ld_global_u32 $s1, [$d1]
    and_u32 $s2, $s0, 3
    cmp_eq_u32 $c0, $s2, 1
    cbr $c0, @odd
    ld_global_u32 $s3, [$d1+4]
    add_u32 $s1, $s1, $s3
    br @join
@odd:
    cvt_f32_u32 $s4, $s1
    sin_f32 $s4, $s4
    st_private_u32 $s4, [stack+4]
@join:
    ld_private_u32 $s5, [stack+4]
    and_u32 $s6, $s0, 15
    shl_u32 $s6, $s6, 2
    st_group_u32 $s1, [tile+$s6]
    barrier
    ld_group_u32 $s7, [tile+$s6]
    atomic_add_global_u32 [$d0], $s7
    st_global_u32 $s7, [$d1]
    ret
}
"""

EXTREME = (0, -1, 1 << 31, 1 << 62, 1 << 63, 10**30, 10**5000)

CALM = {
    "l1d.hit_latency": LONGEST,
    "l2.hit_latency": LONGEST,
    "crossbar.latency": LONGEST,
    "crossbar.bytes_per_cycle": 0.001,
    "bus.latency": LONGEST,
    "bus.bytes_per_cycle": 0.001,
    "dram.latency": LONGEST,
    "dram.row_hit": LONGEST,
    "dram.row_conflict": LONGEST,
    "coherence_latency": LONGEST,
    "pipeline": 1024,
    "l1i.hit_latency": LONGEST,
}
"""Everything as slow as can be."""


def bounds(key: str) -> list[Any]:
    """The least and greatest value that a key takes."""
    table, _, last = key.rpartition(".")
    kind: Any = Machine.model_fields[table].annotation if table else Machine
    found: list[Any] = []
    for limit in kind.model_fields[last].metadata:
        found += [getattr(limit, name) for name in ("ge", "le") if hasattr(limit, name)]
        found += [limit.lt - 1] if hasattr(limit, "lt") else []
    return found


def cases(machine: str, policy: str) -> Iterator[dict[str, Any]]:
    base = load(machine)
    for key in KEYS.all:
        value: Any = base
        for part in key.split("."):
            value = getattr(value, part)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield from ({key: extreme} for extreme in (*EXTREME, *bounds(key)))
            yield {key: float("nan")}
            yield {key: float("inf")}
            yield {key: 0.5}
    for setting in settings_of(find(policy)):
        extremes = (*EXTREME, setting.least, setting.greatest)
        yield from ({f"policy.{setting.name}": extreme} for extreme in extremes)
    yield CALM


def main(machine: str, policy: str) -> None:
    kernel = simtlab.assemble(KERNEL)["k"]
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    done = refused = 0
    for case in cases(machine, policy):
        what = {k: v if abs(v) < 10**40 else "10^5000" for k, v in case.items()}
        print(what, flush=True)
        signal.alarm(600)  # the first one compiles the engine
        try:
            launch = simtlab.simulate(
                kernel, machine=machine, policy=policy, set=case, groups=4, group_size=16
            )
            found = launch(np.zeros(16 * 64, np.uint32))
        except simtlab.SimtError as error:
            refused += 1
            message = error.first.message
        else:
            done += 1
            message = f"{found.cycles} cycles"
            assert 0 < found.cycles < 1 << 40, found.cycles
            assert str(found)
            assert found.to_dict()
            assert found.energy
        signal.alarm(0)
        print("   ", message)
        assert len(message) < 500
    print("done", done, "refused", refused)


if __name__ == "__main__":
    main(*sys.argv[1:])
