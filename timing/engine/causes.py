"""The causes to which issue slots and warp-cycles are charged: each cycle has one owner.

Engine code: the constants are in its namespace.
"""

from __future__ import annotations

ISSUED = 0  # an instruction issued
READY = 1  # ready, not chosen (a warp) or between two events (never of a WPU)
HIT = 2  # waits for the latency of a first-level hit
# The next three have neighbouring numbers: `intrinsics.add_parts` adds to all of them at once.
BANK = 3  # bank conflicts, serial lines, ports
MSHR = 4  # the MSHR file is full
L2 = 5  # crossbar, second level, coherence
MEMORY = 6  # bus and DRAM
CODE = 7  # instruction cache
PIPELINE = 8  # inside the barrel pipeline
BARRIER = 9  # at a barrier
RECONVERGE = 10  # at a re-convergence point or branch, for splits of the same warp
SLOTLESS = 11  # a split without a scheduler slot
UNIT = 12  # complex units or group memory are busy
IDLE = 13  # has no work-items: none left, or none launched yet

N_CAUSES = 14

NAMES = (
    "issued", "ready", "hit", "bank", "mshr", "l2", "memory", "fetch", "pipeline", "barrier",
    "reconverge", "slot", "unit", "idle",
)  # fmt: skip
