"""Machines as data: the values of presets (machines/*.toml) and `--set`, checked.

Every field has a unit; a preset names the source of each value. Sizes may be written as `32KiB`.
Unknown keys, wrong types and impossible geometries are errors that name the key.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from ...isa import expect
from ...isa.errors import UsageError, did_you_mean, either
from ...isa.quoting import shown
from ..policies.settings import SETTINGS
from .presets import Part, Presets, key_of, wording

PACKAGE = __package__ or "simtlab.timing.machines"
FIRST_PATHS = ("fallthrough", "taken", "majority", "minpc")
OTHER_WARP = ("fifo", "rr", "swf")
"""Schedulers that can prefer another warp; lrr and two-level always do, gto does the opposite."""
CHOSEN = "set by the user"
"""The source of a value that the user has set."""
LONGEST = 1 << 20
"""Most cycles of one step of an access; the 62-bit clock holds 2^42 such steps."""
MOST_LINES = 1 << 22
"""Most cache lines of a machine; their tables then take 200 MB."""


class MachineError(UsageError):
    """An impossible machine, or an unknown key of one."""

    code = "SIM601"


def _size(value: object) -> object:
    """Return a size such as `32KiB` as a number of bytes."""
    if not isinstance(value, str):
        return value
    found = re.fullmatch(r"(\d+) ?(B|KiB|MiB|GiB|KB|MB)?", value.strip())
    if not found:
        raise ValueError("must be a number of bytes, such as 32768 or 32KiB")
    factor = {None: 1, "B": 1, "KiB": 1 << 10, "KB": 1 << 10, "MiB": 1 << 20, "MB": 1 << 20,
              "GiB": 1 << 30}  # fmt: skip
    return int(found[1]) * factor[found[2]]


def _unit(unit: str, text: str, **limits: Any) -> Any:
    return Field(description=text, json_schema_extra={"unit": unit}, **limits)


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


Bytes = Annotated[int, BeforeValidator(_size)]


class Cache(Part):
    """A cache. `ways = 0` means fully associative, `size = 0` that it is absent."""

    size: Annotated[Bytes, _unit("bytes", "capacity; 0: no cache", ge=0, le=1 << 30)] = 0
    ways: Annotated[int, _unit("ways", "associativity; 0: full", ge=0, le=1 << 16)] = 0
    line: Annotated[Bytes, _unit("bytes", "line size, a power of two", ge=4, le=4096)] = 128
    hit_latency: Annotated[
        int, _unit("cycles", "from access to data on a hit", ge=1, le=LONGEST)
    ] = 1
    mshrs: Annotated[int, _unit("entries", "misses in flight; 0: unlimited", ge=0, le=1024)] = 0
    targets: Annotated[
        int, _unit("requests", "requests an entry tracks; 0: unlimited", ge=0, le=30000)
    ] = 0
    banks: Annotated[
        int, _unit("banks", "banks; 0: one per lane (L1) or per WPU (L2)", ge=0, le=1024)
    ] = 0

    @property
    def n_ways(self) -> int:
        """Lines of a set."""
        return self.ways or max(1, self.size // self.line)

    @property
    def sets(self) -> int:
        """Number of sets."""
        return max(1, self.size // (self.line * self.n_ways))

    @property
    def line_shift(self) -> int:
        """log2 of the line size."""
        return self.line.bit_length() - 1

    @model_validator(mode="after")
    def _geometry(self) -> Cache:
        if self.line & (self.line - 1):
            raise ValueError(f"line = {self.line}: must be a power of two")
        if self.banks & (self.banks - 1):
            raise ValueError(f"banks = {self.banks}: must be a power of two")
        if self.size:
            lines, rest = divmod(self.size, self.line)
            if rest:
                raise ValueError(f"size = {self.size}: must be a multiple of line = {self.line}")
            if lines % self.n_ways:
                raise ValueError(f"{lines} lines cannot be divided into {self.n_ways} ways")
            if self.sets & (self.sets - 1):
                raise ValueError(
                    f"size = {self.size} with {self.n_ways} ways of {self.line} bytes makes "
                    f"{self.sets} sets: must be a power of two"
                )
        return self


class Link(Part):
    """A crossbar or bus: a transfer occupies it for its bytes, and takes `latency` to arrive."""

    latency: Annotated[int, _unit("cycles", "one way", ge=0, le=LONGEST)] = 0
    bytes_per_cycle: Annotated[
        float, _unit("bytes/cycle", "bandwidth", strict=False, ge=0.001, le=1e6)
    ] = 1024.0

    @cached_property
    def fraction(self) -> tuple[int, int]:
        """(bytes, cycles) of the bandwidth as whole numbers, to a thousandth of a byte."""
        ratio = Fraction(self.bytes_per_cycle).limit_denominator(1000)
        return ratio.numerator, ratio.denominator


class Crossbar(Link):
    """The crossbar: a link at each WPU and bank, with a clock of its own or with that of the WPUs.

    With its own clock a transfer begins at a crossbar cycle, and occupies whole ones, one or more.
    """

    clock_mhz: Annotated[
        float,
        _unit(
            "MHz", "of its ports; 0: no edges, bytes pass at any time", strict=False, ge=0, le=1e6
        ),
    ] = 0.0


class Dram(Part):
    """Main memory: `flat` has one latency; `rows` has banks with an open row each, FCFS."""

    model: Annotated[Literal["flat", "rows"], _unit("", "kind")] = "flat"
    latency: Annotated[int, _unit("cycles", "flat: an access", ge=1, le=LONGEST)] = 100
    banks: Annotated[int, _unit("banks", "rows: banks", ge=1, le=1024)] = 8
    row: Annotated[Bytes, _unit("bytes", "rows: row buffer of a bank", ge=64, le=1 << 30)] = 4096
    row_hit: Annotated[int, _unit("cycles", "rows: access to the open row", ge=1, le=LONGEST)] = 100
    row_conflict: Annotated[
        int, _unit("cycles", "rows: access to another row", ge=1, le=LONGEST)
    ] = 300


class Machine(Part):
    """A machine, with everything that the timing engine needs of it."""

    name: Annotated[str, _unit("", "name of the preset")]
    title: Annotated[str, _unit("", "what it is")] = ""
    clock_ghz: Annotated[
        float,
        _unit("GHz", "of the WPUs; all cycles are of this clock", strict=False, ge=1e-3, le=1e3),
    ] = 1.0
    technology_nm: Annotated[int, _unit("nm", "process, for areas", ge=1, le=10_000)] = 65
    vdd: Annotated[float, _unit("V", "supply, for energy", strict=False, ge=1e-3, le=100)] = 0.9
    wpus: Annotated[int, _unit("WPUs", "cores", ge=1, le=64)] = 1
    warps: Annotated[int, _unit("warps", "warp contexts per WPU", ge=1, le=64)] = 4
    width: Annotated[int, _unit("lanes", "SIMD width", ge=1, le=64)] = 16
    registers: Annotated[
        int, _unit("registers", "of 32 bits per work-item, for areas and energy", ge=1, le=1 << 16)
    ] = 32
    issue: Annotated[Literal["switch-on-access", "barrel"], _unit("", "issue discipline")] = (
        "switch-on-access"
    )
    pipeline: Annotated[
        int, _unit("stages", "barrel: cycles until a warp is fetched again", ge=1, le=1024)
    ] = 7
    scheduler: Annotated[
        str,
        AfterValidator(_one_of("fifo", "rr", "lrr", "swf", "gto", "two-level")),
        _unit("", "warp scheduler, or an engine file (.py)"),
    ] = "rr"
    other_warp_first: Annotated[
        bool,
        _unit("", "fifo, rr, swf: groups of the warp picked last come after others (DWS 4.5)"),
    ] = False
    fetch_group: Annotated[
        int, _unit("warps", "two-level: warps of a fetch group", ge=1, le=64)
    ] = 8
    slots: Annotated[
        int, _unit("groups", "scheduler slots; 0: one for each group", ge=0, le=4096)
    ] = 0
    wst_entries: Annotated[
        int, _unit("entries", "warp-split table; 0: unlimited", ge=0, le=1 << 20)
    ] = 0
    interval: Annotated[
        int, _unit("cycles", "of periodic decisions (slip); 0: never", ge=0, le=1 << 40)
    ] = 100_000
    first: Annotated[
        Literal["fallthrough", "taken", "majority", "minpc"],
        _unit("", "the path of a divergent branch that runs first (Q-DWS-11)"),
    ] = "fallthrough"
    memory: Annotated[
        str,
        AfterValidator(_one_of("coherent", "bulk", "gpu", "ideal", "adversary")),
        _unit("", "memory system, or an engine file (.py)"),
    ] = "ideal"
    l1i: Cache = Cache()
    l1d: Cache = Cache(size=32 << 10, ways=8, hit_latency=3, mshrs=32, targets=32)
    l2: Cache = Cache()
    crossbar: Crossbar = Crossbar()
    bus: Link = Link()
    dram: Dram = Dram()
    coherence_latency: Annotated[
        int,
        _unit(
            "cycles",
            "an invalidation or forward, beyond the crossbar's round trip",
            ge=0,
            le=LONGEST,
        ),
    ] = 0
    store_buffer: Annotated[
        bool, _unit("", "stores wait in a buffer without end, not in the warp (Q-DWS-5)")
    ] = False
    private: Annotated[Literal["cached", "on-chip"], _unit("", "where private memory is")] = (
        "cached"
    )
    private_layout: Annotated[
        Literal["interleaved", "stack"],
        _unit("", "cached: 8 bytes of each lane in turn, or a stack in one piece per work-item"),
    ] = "interleaved"
    private_stride: Annotated[
        Bytes,
        _unit(
            "bytes",
            "stack: least distance of two stacks, a multiple of 8; 0: none lies between",
            ge=0,
            le=1 << 30,
            multiple_of=8,
        ),
    ] = 0
    private_bytes: Annotated[
        Bytes,
        _unit("bytes", "private memory on chip, per work-item; 0: no limit", ge=0, le=1 << 30),
    ] = 0
    group_banks: Annotated[
        int, _unit("banks", "of group memory, a power of two", ge=1, le=1024)
    ] = 32
    complex_units: Annotated[
        int, _unit("units", "for sin, cos, exp2, log2; 0: as many as lanes", ge=0, le=64)
    ] = 0
    adversary_seed: Annotated[
        int, _unit("", "adversary: seed; 0: first touch misses", ge=0, lt=1 << 63)
    ] = 0
    policy: Annotated[
        Mapping[str, bool | int | str],
        BeforeValidator(_settings),
        _unit("", "parameters of the policy, by name"),
    ] = {}
    sources: Annotated[Mapping[str, str], _unit("", "where each value is from, by key")] = {}

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
        unknown = [key for key in self.sources if key not in ALL_KEYS]
        if unknown:
            raise ValueError(f"sources names {unknown[0]}, which is not a key{_near(unknown[0])}")
        return self


def _keys() -> tuple[str, ...]:
    found: list[str] = []
    for key, spec in Machine.model_fields.items():
        kind = spec.annotation
        if isinstance(kind, type) and issubclass(kind, Part):
            found += [f"{key}.{inner}" for inner in kind.model_fields]
        else:
            found.append(key)
    return tuple(found)


ALL_KEYS = _keys()
"""Every key that has a value, as `l1d.size`."""


def unknown_key(key: str) -> str:
    """Return the message for a key that no machine has; an empty text for one that there is."""
    return "" if key in ALL_KEYS else f"{key}: unknown key{_near(key)}"


def choices(key: str) -> tuple[str, ...]:
    """Return the words that a key takes; empty where it takes numbers."""
    table, _, last = key.rpartition(".")
    kind: Any = Machine.model_fields[table].annotation if table else Machine
    return get_args(kind.model_fields[last].annotation) if key in ALL_KEYS else ()


@dataclass(frozen=True)
class Value:
    """A key of a machine with its meaning, as `simtlab machines NAME` prints it."""

    key: str
    value: Any
    unit: str
    text: str
    source: str


def values(machine: Machine) -> list[Value]:
    """Return every key with its value, in the order of the declaration."""
    found: list[Value] = []
    for key in ALL_KEYS:
        if key in ("name", "title", "policy", "sources"):
            continue
        table, _, last = key.rpartition(".")
        part: Part = getattr(machine, table) if table else machine
        spec = type(part).model_fields[last]
        extra = spec.json_schema_extra
        unit = str(extra["unit"]) if isinstance(extra, dict) else ""
        is_given = last in part.model_fields_set and (
            not table or table in machine.model_fields_set
        )
        source = machine.sources.get(key, "" if is_given else "default")
        found.append(Value(key, getattr(part, last), unit, spec.description or "", source))
    return found


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
    return _PRESETS.build(Machine, table, where, _mistake)


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


def _mistake(error: Any) -> str:
    key = key_of(error)
    if error["type"] == "extra_forbidden":
        if isinstance(error["input"], dict):  # an unknown table: its keys are unknown too
            key = ".".join((key, *map(str, list(error["input"])[:1])))
        return f"{key}: unknown key{_near(key)}"
    if error["type"] == "literal_error":
        words = choices(key)
        near = did_you_mean(error["input"], words)
        return f"{key}: takes {either(words)}, not {shown(error['input'])}" + (
            f" ({near})" if near else ""
        )
    if error["type"] in ("model_type", "model_attributes_type"):
        return f"{key}: is a table of keys, such as {key}.{_inside(key)}"
    return wording(error)


def _inside(table: str) -> str:
    return next(key.partition(".")[2] for key in ALL_KEYS if key.startswith(f"{table}."))


def _near(key: str) -> str:
    """Return a suggestion: a policy's setting, a key of that table or name, or a similar key."""
    table, _, last = key.rpartition(".")
    setting = key.replace("_", "-")
    own = [known for known in ALL_KEYS if known.startswith(f"{table}.")]
    names = [known.rpartition(".")[2] for known in own]
    same = [known for known in ALL_KEYS if known.rpartition(".")[2] == last]
    if setting in SETTINGS:
        found = [f"policy.{setting}"]
    elif own:  # the table exists, so the key is one of it
        meant = [name for name in names if any(w.startswith(last) for w in name.split("_"))]
        found = [f"{table}.{name}" for name in meant or get_close_matches(last, names, n=1)]
    else:
        found = [known for known in same if get_close_matches(table, [known.partition(".")[0]])]
        found = found or same or get_close_matches(key, ALL_KEYS, n=1)
    if not found:
        return f" ({table} has {', '.join(names)})" if own else ""
    return f" (did you mean {either([f'`{key}`' for key in found])}?)"
