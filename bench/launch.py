"""What a launch of a small kernel costs, in microseconds of CPU time: minimum and median.

python bench/launch.py [--runs 15] [--launches 500]

*Swept* launches follow a kernel that has swept 8 MiB, whose time does not count; each is measured
alone, less what reading the clock costs.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable

import numpy as np

import simtlab

SOURCE = """
kernel add(u32 %n, global f32* %x, global f32* %y) {
    workitemabsid_u32  $s0, 0
    ld_kernarg_u32     $s1, [%n]
    cmp_ge_u32         $c0, $s0, $s1
    cbr                $c0, @done
    cvt_u64_u32        $d0, $s0
    ld_kernarg_u64     $d1, [%x]
    ld_kernarg_u64     $d2, [%y]
    mad_u64            $d1, $d0, 4, $d1
    mad_u64            $d2, $d0, 4, $d2
    ld_global_f32      $s2, [$d1]
    ld_global_f32      $s3, [$d2]
    add_f32            $s2, $s2, $s3
    st_global_f32      $s2, [$d2]
@done:
    ret
}
kernel count(u32 %n, global u32* %x) {
    workitemabsid_u32  $s0, 0
    cvt_u64_u32        $d0, $s0
    ld_kernarg_u32     $s1, [%n]
    ld_kernarg_u64     $d1, [%x]
    mad_u64            $d1, $d0, 4, $d1
    mov_u32            $s2, 0
@loop:
    add_u32            $s2, $s2, 1
    cmp_lt_u32         $c0, $s2, $s1
    cbr                $c0, @loop
    st_global_u32      $s2, [$d1]
    ret
}
"""


def cases() -> dict[str, Callable[[], object]]:
    """Launches by what is particular about them."""
    program = simtlab.assemble(SOURCE)
    device = simtlab.Device()
    hosts = np.ones((2, 64), np.float32)
    x, y = (device.to_device(host) for host in hosts)
    counts = device.zeros(64, np.uint32)
    add, many, count = (
        program["add"].launch(groups=1, group_size=64),
        program["add"].launch(groups=64, group_size=64),
        program["count"].launch(groups=1, group_size=64),
    )
    counted = program["add"].launch(groups=1, group_size=64, stats=True)
    return {
        "device arrays": lambda: add(64, x, y),
        "64 workgroups": lambda: many(64, x, y),
        "device arrays, counted": lambda: counted(64, x, y),
        "a loop": lambda: count(8, counts),
        "NumPy arrays": lambda: add(64, *hosts),
        "kernel[1, 64](...) each time": lambda: program.add[1, 64](64, x, y),
    }


def swept(launch: Callable[[], object]) -> Callable[[int], float]:
    """Return what measures launches that follow a sweep: a number of them -> seconds of one."""
    program = simtlab.assemble(SOURCE)
    items = (8 << 20) // 8
    device = simtlab.Device()
    x, y = device.zeros(items, np.float32), device.zeros(items, np.float32)
    sweep = program["add"].launch(items=items, group_size=256)

    def measure(count: int) -> float:
        times, clock = [], []
        for _ in range(count):
            sweep(items, x, y)
            start = time.process_time()
            launch()
            between = time.process_time()
            times.append(between - start)
            clock.append(time.process_time() - between)
        return statistics.median(times) - statistics.median(clock)

    return measure


def warm(launch: Callable[[], object]) -> Callable[[int], float]:
    """Return what measures launches one after the other: a number of them -> seconds of one."""

    def measure(count: int) -> float:
        start = time.process_time()
        for _ in range(count):
            launch()
        return (time.process_time() - start) / count

    return measure


def main() -> None:
    """Print a line per case."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--runs", type=int, default=15)
    options.add_argument("--launches", type=int, default=500)
    given = options.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    launches = cases()
    todo = {label: warm(launch) for label, launch in launches.items()}
    for label in ("device arrays", "64 workgroups", "device arrays, counted"):
        todo[f"{label}, swept"] = swept(launches[label])
    times: dict[str, list[float]] = {label: [] for label in todo}
    for launch in launches.values():
        launch()
    for _ in range(given.runs):
        for label, measure in todo.items():
            count = given.launches // 10 if label.endswith("swept") else given.launches
            times[label].append(measure(max(1, count)) * 1e6)
    print(f"{'one launch':<36}{'min us':>8}{'median':>8}")
    for label, found in times.items():
        print(f"{label:<36}{min(found):>8.1f}{statistics.median(found):>8.1f}")


if __name__ == "__main__":
    main()
