"""Machines as data: the values of presets (machines/*.toml) and `--set`, checked.

Every field has a unit; a preset names the source of each value. Sizes may be written as `32KiB`.
Unknown keys, wrong types and impossible geometries are errors that name the key (keys.py).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, model_validator

from ...isa import expect
from ...isa.errors import UsageError, did_you_mean
from .keys import Keys
from .parts import LONGEST, Bytes, Cache, Crossbar, Dram, Link, unit
from .presets import Part, Presets

PACKAGE = __package__ or "simtlab.timing.machines"
FIRST_PATHS = ("fallthrough", "taken", "majority", "minpc")
OTHER_WARP = ("fifo", "rr", "swf")
"""Schedulers that can prefer another warp; lrr and two-level always do, gto does the opposite."""
CHOSEN = "set by the user"
"""The source of a value that the user has set."""
MOST_LINES = 1 << 22
"""Most cache lines of a machine; their tables then take 200 MB."""


class MachineError(UsageError):
    """An impossible machine, or an unknown key of one."""

    code = "SIM601"


def _one_of(*names: str) -> Callable[[str], str]:
    """Return a check that a text is one of `names`, or a user's engine file."""

    def check(value: str) -> str:
        if value not in names and not value.endswith(".py"):
            near = did_you_mean(value, names)
            known = f"must be {', '.join(names)}, or a path ending in .py"
            raise ValueError(f"{known} ({near})" if near else known)
        return value

    return check


def _settings(value: object) -> object:
    """Return a policy's settings, other values as texts; files.py checks them."""
    if not isinstance(value, Mapping):
        return value
    return {k: v if isinstance(v, bool | int | str) else str(v) for k, v in value.items()}


class Machine(Part):
    """A machine, with everything that the timing engine needs of it."""

    name: Annotated[str, unit("", "name of the preset")]
    title: Annotated[str, unit("", "what it is")] = ""
    clock_ghz: Annotated[
        float,
        unit("GHz", "of the WPUs; all cycles are of this clock", strict=False, ge=1e-3, le=1e3),
    ] = 1.0
    technology_nm: Annotated[int, unit("nm", "process, for areas", ge=1, le=10_000)] = 65
    vdd: Annotated[float, unit("V", "supply, for energy", strict=False, ge=1e-3, le=100)] = 0.9
    wpus: Annotated[int, unit("WPUs", "cores", ge=1, le=64)] = 1
    warps: Annotated[int, unit("warps", "warp contexts per WPU", ge=1, le=64)] = 4
    width: Annotated[int, unit("lanes", "SIMD width", ge=1, le=64)] = 16
    registers: Annotated[
        int, unit("registers", "of 32 bits per work-item, for areas and energy", ge=1, le=1 << 16)
    ] = 32
    issue: Annotated[Literal["switch-on-access", "barrel"], unit("", "issue discipline")] = (
        "switch-on-access"
    )
    pipeline: Annotated[
        int, unit("stages", "barrel: cycles until a warp is fetched again", ge=1, le=1024)
    ] = 7
    scheduler: Annotated[
        str,
        AfterValidator(_one_of("fifo", "rr", "lrr", "swf", "gto", "two-level")),
        unit("", "warp scheduler, or an engine file (.py)"),
    ] = "rr"
    other_warp_first: Annotated[
        bool,
        unit("", "fifo, rr, swf: groups of the warp picked last come after others (DWS 4.5)"),
    ] = False
    fetch_group: Annotated[int, unit("warps", "two-level: warps of a fetch group", ge=1, le=64)] = 8
    slots: Annotated[
        int, unit("groups", "scheduler slots; 0: one for each group", ge=0, le=4096)
    ] = 0
    wst_entries: Annotated[
        int, unit("entries", "warp-split table; 0: unlimited", ge=0, le=1 << 20)
    ] = 0
    interval: Annotated[
        int, unit("cycles", "of periodic decisions (slip); 0: never", ge=0, le=1 << 40)
    ] = 100_000
    first: Annotated[
        Literal["fallthrough", "taken", "majority", "minpc"],
        unit("", "the path of a divergent branch that runs first (Q-DWS-11)"),
    ] = "fallthrough"
    memory: Annotated[
        str,
        AfterValidator(_one_of("coherent", "bulk", "gpu", "ideal", "adversary")),
        unit("", "memory system, or an engine file (.py)"),
    ] = "ideal"
    l1i: Cache = Cache()
    l1d: Cache = Cache(size=32 << 10, ways=8, hit_latency=3, mshrs=32, targets=32)
    l2: Cache = Cache()
    crossbar: Crossbar = Crossbar()
    bus: Link = Link()
    dram: Dram = Dram()
    coherence_latency: Annotated[
        int,
        unit(
            "cycles",
            "an invalidation or forward, beyond the crossbar's round trip",
            ge=0,
            le=LONGEST,
        ),
    ] = 0
    store_buffer: Annotated[
        bool, unit("", "stores wait in a buffer without end, not in the warp (Q-DWS-5)")
    ] = False
    private: Annotated[Literal["cached", "on-chip"], unit("", "where private memory is")] = "cached"
    private_layout: Annotated[
        Literal["interleaved", "stack"],
        unit("", "cached: 8 bytes of each lane in turn, or a stack in one piece per work-item"),
    ] = "interleaved"
    private_stride: Annotated[
        Bytes,
        unit(
            "bytes",
            "stack: least distance of two stacks, a multiple of 8; 0: none lies between",
            ge=0,
            le=1 << 30,
            multiple_of=8,
        ),
    ] = 0
    private_bytes: Annotated[
        Bytes,
        unit("bytes", "private memory on chip, per work-item; 0: no limit", ge=0, le=1 << 30),
    ] = 0
    group_banks: Annotated[int, unit("banks", "of group memory, a power of two", ge=1, le=1024)] = (
        32
    )
    complex_units: Annotated[
        int, unit("units", "for sin, cos, exp2, log2; 0: as many as lanes", ge=0, le=64)
    ] = 0
    adversary_seed: Annotated[
        int, unit("", "adversary: seed; 0: first touch misses", ge=0, lt=1 << 63)
    ] = 0
    policy: Annotated[
        Mapping[str, bool | int | str],
        BeforeValidator(_settings),
        unit("", "parameters of the policy, by name"),
    ] = {}
    sources: Annotated[Mapping[str, str], unit("", "where each value is from, by key")] = {}

    def replaced(self, overrides: Mapping[str, object]) -> Machine:
        """Return the machine with other values (`{"l1d.size": "16KiB"}`). Raises MachineError."""
        table = self.model_dump(exclude_unset=True)
        return build(_overridden(table, overrides), self.name)

    def is_chosen(self, key: str) -> bool:
        """Return whether a user has set a top-level key; a preset's values have a source."""
        return key in self.model_fields_set and self.sources.get(key, CHOSEN) == CHOSEN

    @property
    def contexts(self) -> int:
        """Work-items that the machine holds at once."""
        return self.wpus * self.core_contexts

    @property
    def core_contexts(self) -> int:
        """Work-items that a WPU holds at once."""
        return self.warps * self.width

    @property
    def rows(self) -> int:
        """Warp contexts of a large warp (LWM-06); 1 unless the policy forms large warps."""
        return max(1, int(self.policy.get("warp", self.width)) // self.width)

    @property
    def l1d_banks(self) -> int:
        """Banks of a first-level data cache, a power of two: one per lane by default."""
        return self.l1d.banks or 1 << (self.width - 1).bit_length()

    @property
    def l2_banks(self) -> int:
        """Banks of the second level, a power of two: one per WPU by default."""
        return self.l2.banks or 1 << (self.wpus - 1).bit_length()

    @property
    def crossbar_cycle(self) -> Fraction:
        """WPU cycles in a cycle of the crossbar, 10/3 at 1 GHz and 300 MHz; 0 without a clock."""
        if not self.crossbar.clock_mhz:
            return Fraction(0)
        ratio = Fraction(self.clock_ghz) * 1000 / Fraction(self.crossbar.clock_mhz)
        return ratio.limit_denominator(1000)

    def private_distance(self, size: int) -> int:
        """Return the bytes from a work-item's private memory, `size` bytes, to the next one's.

        0 if private memory is interleaved.
        """
        if self.private_layout == "interleaved":
            return 0
        return max(self.private_stride, -(-size // 8) * 8, 8)

    @property
    def first_path(self) -> int:
        """`first` as the number that engine code uses."""
        return FIRST_PATHS.index(self.first)

    @model_validator(mode="after")
    def _makes_sense(self) -> Machine:
        if self.group_banks & (self.group_banks - 1):
            raise ValueError(f"group_banks = {self.group_banks}: must be a power of two")
        if self.memory in ("coherent", "bulk", "gpu") and not self.l1d.size:
            raise ValueError(f"memory = {self.memory!r} needs an l1d with a size")
        if self.memory == "coherent" and not self.l2.size:
            raise ValueError("memory = 'coherent' needs an l2 with a size")
        if self.memory == "coherent" and self.l2.line % self.l1d.line:
            raise ValueError("l2.line must be a multiple of l1d.line")
        if self.memory == "coherent" and self.l1i.size and self.l2.line % self.l1i.line:
            raise ValueError("l2.line must be a multiple of l1i.line")
        if self.memory in ("coherent", "bulk", "gpu") and self.l1d.line > 256:
            raise ValueError(f"l1d.line = {self.l1d.line}: must be at most 256 bytes")
        if self.other_warp_first and self.scheduler not in OTHER_WARP:
            raise ValueError(
                f"other_warp_first = true is for the schedulers {', '.join(OTHER_WARP)}, not "
                f"{self.scheduler}"
            )
        if self.l1d.banks > 64:
            raise ValueError(f"l1d.banks = {self.l1d.banks}: must be at most 64")
        l1d, l1i, l2 = (c.sets * c.n_ways if c.size else 0 for c in (self.l1d, self.l1i, self.l2))
        # The directory has a record for each L1 line of an L2 line.
        records = self.wpus * (l1d + l1i) + l2 * max(1, self.l2.line // self.l1d.line)
        if records > MOST_LINES:
            raise ValueError(
                f"the caches have {records:,} lines altogether: must be at most {MOST_LINES:,}"
            )
        cycle = self.crossbar_cycle
        if self.crossbar.clock_mhz and not Fraction(1, 1000) <= cycle <= LONGEST:
            raise ValueError(
                f"crossbar.clock_mhz = {self.crossbar.clock_mhz:g}: a cycle of the crossbar must "
                f"be 1/1000 to {LONGEST:,} cycles of the WPUs"
            )
        if self.dram.row_conflict < self.dram.row_hit:
            raise ValueError("dram.row_conflict must be at least dram.row_hit")
        unknown = [key for key in self.sources if key not in KEYS.all]
        if unknown:
            raise ValueError(
                f"sources names {unknown[0]}, which is not a key{KEYS.near(unknown[0])}"
            )
        return self


KEYS = Keys(Machine)
"""Every key that has a value, as `l1d.size`, and messages about keys."""


_PRESETS = Presets(
    PACKAGE,
    "machine",
    MachineError,
    "`simtlab machines NAME` prints a preset with all keys and units",
)

names = _PRESETS.names
"""The presets."""


def load(name: str | Path, overrides: Mapping[str, object] | None = None) -> Machine:
    """Return a preset or a TOML file as a machine, with fields replaced (`{"l1d.size": "16KiB"}`).

    Raises MachineError, which lists every mistake with its key.
    """
    name = expect.path(name, "a machine", "a name or the path of a file")
    table, where = _PRESETS.read(str(name))
    table.setdefault("name", Path(str(name)).stem)
    return build(_overridden(table, overrides or {}), where)


def _overridden(table: dict[str, Any], overrides: Mapping[str, object]) -> dict[str, Any]:
    for key, value in expect.mapping(overrides, "set", MachineError).items():
        _put(table, key, value)
        if not key.startswith("policy.") and isinstance(table.get("sources"), dict):
            table["sources"][key.replace("-", "_")] = CHOSEN
    return table


def build(table: Mapping[str, Any], where: str) -> Machine:
    """Return a machine from nested tables; raises MachineError."""
    return _PRESETS.build(Machine, table, where, KEYS.mistake)


def _put(table: dict[str, Any], key: str, value: object) -> None:
    """Set `l1d.size`; a text that is a number or a truth value becomes one."""
    *path, last = key.replace("-", "_").split(".") if not key.startswith("policy.") else (
        "policy", key.partition(".")[2]
    )  # fmt: skip
    inner = table
    for part in path:
        inner = inner.setdefault(part, {})
        if not isinstance(inner, dict):
            raise MachineError(f"{key!r} is not a key of a machine: {part!r} is a single value")
    found = _value(value)
    # A policy takes no fractions; its error shows them as they were written.
    inner[last] = value if path == ["policy"] and isinstance(found, float) else found


def _value(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return tomllib.loads(f"v = {value}")["v"]
    except (ValueError, RecursionError):  # not TOML, or too large for Python
        return value
