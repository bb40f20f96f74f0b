"""Hardware costs of the mechanisms: DWS-24, MAWS-15, LWM-20, PPC-HW."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
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
class Structure:
    """A structure of a WPU, or one that a mechanism adds; `mm2` is None where no paper gives it."""

    name: str
    size: str
    mm2: float | None
    source: str = ""
    share: float | None = None
    """Of the area of a WPU without additions."""


@dataclass(frozen=True)
class Area:
    """A WPU's sizes and each mechanism's addition. Bytes and bits are exact, mm² are estimates."""

    structures: tuple[Structure, ...]
    additions: Mapping[str, tuple[Structure, ...]]
    """By family of policies."""
    l1_bytes: int
    dws_entry_bytes: int
    dws_bytes: int
    maws_bytes: int
    lwm_bits: int
    ppc_comparators: int
    per_thread_comparators: int

    @property
    def wpu_mm2(self) -> float:
        """A WPU without additions."""
        return sum(s.mm2 or 0.0 for s in self.structures)

    def share(self, family: str) -> float:
        """What the policies of a family add, in shares of the WPU's area."""
        return sum(s.share or 0.0 for s in self.additions[family])

    @property
    def dws_share_of_l1(self) -> float:
        """The warp-split table of DWS in shares of the L1 caches' storage; claimed: below 1 %."""
        return self.dws_bytes / self.l1_bytes if self.l1_bytes else 0.0

    @property
    def maws_share_of_l1(self) -> float:
        """The tables of MAWS in shares of the L1 caches' storage; claimed: below 2 %."""
        return self.maws_bytes / self.l1_bytes if self.l1_bytes else 0.0

    def to_dict(self) -> dict[str, object]:
        """Return the fields for JSON."""
        return {
            "wpu_mm2": self.wpu_mm2,
            "structures": [asdict(s) for s in self.structures],
            "additions": [
                {
                    "family": family,
                    "mm2": self.share(family) * self.wpu_mm2,
                    "share": self.share(family),
                    "structures": [asdict(s) for s in found],
                }
                for family, found in self.additions.items()
            ],
        }


def dws_entry_bits(machine: Machine) -> int:
    """Return a warp-split's mask, warp, PC and status (DWS-04: 84 for four warps of sixteen)."""
    return machine.width + math.ceil(math.log2(machine.warps)) + 64 + 2


def area_of(machine: Machine, parameters: Parameters | None = None) -> Area:
    """Return the sizes of a machine's WPU; lanes have 32 bits, 64-bit results take pairs."""
    a = (parameters or load()).area
    scale = a.shrink ** generations(a.technology_nm, machine.technology_nm)
    file_kib = machine.core_contexts * machine.registers * 4 / 1024
    width, warps = machine.width, machine.warps

    def cache(n: float) -> float:
        return n / 1024 * a.cache_kib * scale

    structures = (
        Structure("front end", "fetch, decode", a.front_end * scale),
        Structure("scheduler", f"{warps} entries", warps * a.scheduler_entry * scale),
        Structure("integer units", f"{width} of 32 bits", width * a.int_alu * scale),
        Structure("float units", f"{width} of 32 bits", width * a.float_alu * scale),
        Structure("register file", f"{file_kib:g} KiB", file_kib * a.register_kib * scale),
        Structure("L1I", f"{machine.l1i.size / 1024:g} KiB", cache(machine.l1i.size)),
        Structure("L1D", f"{machine.l1d.size / 1024:g} KiB", cache(machine.l1d.size)),
    )
    wpu = sum(s.mm2 or 0.0 for s in structures)
    entry = -(-dws_entry_bits(machine) // 8)
    entries = machine.wst_entries or machine.core_contexts
    # As many as the machine has, and at least DWS 5.6's twice the entries of a conventional one.
    more = max((machine.slots or 2 * warps) - warps, 0)
    maws = machine.core_contexts * a.maws_entry_bytes
    masks = LARGE_WARP_BUFFERS * LARGE_WARP
    decoders = file_kib * a.register_kib * scale * a.decoder_share
    additions = {
        "dws": (
            Structure(
                "warp-split table", f"{entries} of {entry} bytes", cache(entries * entry), "DWS-24"
            ),
            Structure("scheduler", f"{more} entries", more * a.scheduler_entry * scale, "DWS-24"),
        ),
        "maws": (
            Structure(
                "warp-split tables",
                f"{machine.core_contexts} of {a.maws_entry_bytes} bytes",
                cache(maws),
                "MAWS-15",
            ),
        ),
        "lwm": (
            Structure("register decoders", f"{width}, one per lane", decoders, "LWM-20"),
            Structure("masks of large warps", f"{masks} bits", cache(masks / 8), "LWM-20"),
        ),
        "ppc": (Structure("PC comparators", "1", None, "PPC-HW"),),
        "per-thread": (Structure("PC comparators", f"{width}", None, "PPC-HW"),),
    }
    return Area(
        structures=tuple(_with_share(s, wpu) for s in structures),
        additions={
            family: tuple(_with_share(s, wpu) for s in found) for family, found in additions.items()
        },
        l1_bytes=machine.l1i.size + machine.l1d.size,
        dws_entry_bytes=entry,
        dws_bytes=entries * entry,
        maws_bytes=maws,
        lwm_bits=masks,
        ppc_comparators=1,
        per_thread_comparators=width,
    )


def _with_share(structure: Structure, wpu: float) -> Structure:
    return structure if structure.mm2 is None else replace(structure, share=structure.mm2 / wpu)


def generations(old: int, new: int) -> int:
    """Return how many process generations lie between two, in nm; negative towards larger ones."""

    def nearest(nm: int) -> int:
        return min(range(len(GENERATIONS)), key=lambda i: abs(math.log(GENERATIONS[i] / nm)))

    return nearest(new) - nearest(old)
