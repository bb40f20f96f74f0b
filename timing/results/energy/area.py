"""Hardware costs of the mechanisms: DWS-24, MAWS-15, LWM-20, PPC-HW."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .parameters import Parameters, load

if TYPE_CHECKING:
    from ...machines.machine import Machine

GENERATIONS = (180, 130, 90, 65, 45, 32, 22, 16, 10, 7)
"""Process generations, in nm, in order."""

LARGE_WARP = 256
"""Work-items of a large warp in LWM, thus bits of its masks."""

LARGE_WARP_BUFFERS = 3
"""Masks of a large warp's size that LWM adds: the copy that is consumed, and two for branches."""


@dataclass(frozen=True)
class Area:
    """A WPU's sizes and each mechanism's addition. Bytes and bits are exact, mm² are estimates."""

    wpu_mm2: float
    l1_bytes: int
    dws_entry_bytes: int
    dws_bytes: int
    maws_bytes: int
    lwm_bits: int
    ppc_comparators: int
    per_thread_comparators: int
    cache_mm2_per_byte: float

    @property
    def dws_share_of_l1(self) -> float:
        """The warp-split table of DWS in shares of the L1 caches' storage; claimed: below 1 %."""
        return self.dws_bytes / self.l1_bytes if self.l1_bytes else 0.0

    @property
    def maws_share_of_l1(self) -> float:
        """The tables of MAWS in shares of the L1 caches' storage; claimed: below 2 %."""
        return self.maws_bytes / self.l1_bytes if self.l1_bytes else 0.0

    @property
    def dws_share(self) -> float:
        """The warp-split table of DWS in shares of the WPU's area."""
        return self.dws_bytes * self.cache_mm2_per_byte / self.wpu_mm2

    @property
    def maws_share(self) -> float:
        """The tables of MAWS in shares of the WPU's area."""
        return self.maws_bytes * self.cache_mm2_per_byte / self.wpu_mm2


def dws_entry_bits(machine: Machine) -> int:
    """Return a warp-split's mask, warp, PC and status (DWS-04: 84 for four warps of sixteen)."""
    return machine.width + math.ceil(math.log2(machine.warps)) + 64 + 2


def area_of(machine: Machine, parameters: Parameters | None = None) -> Area:
    """Return the sizes of a machine's WPU; lanes have 32 bits, 64-bit results take pairs."""
    a = (parameters or load()).area
    scale = a.shrink ** generations(a.technology_nm, machine.technology_nm)
    l1 = machine.l1i.size + machine.l1d.size
    registers = machine.core_contexts * machine.registers * 4
    wpu = a.front_end + machine.width * (a.int_alu + a.float_alu)
    wpu += registers / 1024 * a.register_kib + l1 / 1024 * a.cache_kib
    entry = -(-dws_entry_bits(machine) // 8)
    entries = machine.wst_entries or machine.core_contexts
    return Area(
        wpu_mm2=wpu * scale,
        l1_bytes=l1,
        dws_entry_bytes=entry,
        dws_bytes=entries * entry,
        maws_bytes=machine.core_contexts * a.maws_entry_bytes,
        lwm_bits=LARGE_WARP_BUFFERS * LARGE_WARP,
        ppc_comparators=1,
        per_thread_comparators=machine.width,
        cache_mm2_per_byte=a.cache_kib / 1024 * scale,
    )


def generations(old: int, new: int) -> int:
    """Return how many process generations lie between two, in nm; negative towards larger ones."""

    def nearest(nm: int) -> int:
        return min(range(len(GENERATIONS)), key=lambda i: abs(math.log(GENERATIONS[i] / nm)))

    return nearest(new) - nearest(old)
