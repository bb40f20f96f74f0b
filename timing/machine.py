"""A machine as data: what presets (machines/*.toml) and `--set` give, checked.

Every field has a unit; a preset says for each value where it is from. Sizes may be written as
`32KiB`. Unknown keys, wrong types and impossible geometries are errors that name the key.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from ..isa.errors import UsageError, did_you_mean

PACKAGE = __package__ or "simtlab.timing"
FIRST_PATHS = ("fallthrough", "taken", "majority", "minpc")
SCHEDULERS = ("fifo", "rr", "lrr", "swf", "gto", "two-level")


class MachineError(UsageError):
    """A machine that cannot be, or a key that no machine has."""

    code = "SIM601"


def _size(value: object) -> object:
    """`32KiB` as a number of bytes."""
    if not isinstance(value, str):
        return value
    found = re.fullmatch(r"(\d+) ?(B|KiB|MiB|GiB|KB|MB)?", value.strip())
    if not found:
        raise ValueError("must be bytes, as 32768 or 32KiB")
    factor = {None: 1, "B": 1, "KiB": 1 << 10, "KB": 1 << 10, "MiB": 1 << 20, "MB": 1 << 20,
              "GiB": 1 << 30}  # fmt: skip
    return int(found[1]) * factor[found[2]]


def _unit(unit: str, text: str, **limits: Any) -> Any:
    return Field(description=text, json_schema_extra={"unit": unit}, **limits)


Bytes = Annotated[int, BeforeValidator(_size)]


class Part(BaseModel):
    """A table of a machine file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Cache(Part):
    """A cache. `ways = 0` means fully associative, `size = 0` that there is none."""

    size: Annotated[Bytes, _unit("bytes", "capacity; 0: there is none", ge=0)] = 0
    ways: Annotated[int, _unit("ways", "associativity; 0: full", ge=0)] = 0
    line: Annotated[Bytes, _unit("bytes", "line size, a power of two", ge=4)] = 128
    hit_latency: Annotated[int, _unit("cycles", "from access to data on a hit", ge=1)] = 1
    mshrs: Annotated[int, _unit("entries", "misses in flight; 0: unlimited", ge=0)] = 0
    targets: Annotated[int, _unit("requests", "requests an entry tracks; 0: unlimited", ge=0)] = 0
    banks: Annotated[int, _unit("banks", "banks; 0: one per lane (L1) or per WPU (L2)", ge=0)] = 0

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
        if self.size:
            lines, rest = divmod(self.size, self.line)
            if rest:
                raise ValueError(f"size = {self.size}: must be a multiple of line = {self.line}")
            if lines % self.n_ways:
                raise ValueError(f"{lines} lines cannot be shared out to {self.n_ways} ways")
            if self.sets & (self.sets - 1):
                raise ValueError(
                    f"size = {self.size} with {self.n_ways} ways of {self.line} bytes makes "
                    f"{self.sets} sets: must be a power of two"
                )
        return self


class Link(Part):
    """A crossbar or bus: a transfer occupies it for its bytes, and takes `latency` to arrive."""

    latency: Annotated[int, _unit("cycles", "one way", ge=0)] = 0
    bytes_per_cycle: Annotated[
        float,
        Field(
            strict=False, gt=0, description="bandwidth", json_schema_extra={"unit": "bytes/cycle"}
        ),
    ] = 1024.0

    @cached_property
    def fraction(self) -> tuple[int, int]:
        """(bytes, cycles) of the bandwidth as whole numbers, to a thousandth of a byte."""
        from fractions import Fraction

        ratio = Fraction(self.bytes_per_cycle).limit_denominator(1000)
        return ratio.numerator, ratio.denominator


class Dram(Part):
    """Main memory: `flat` has one latency; `rows` has banks with an open row each, FCFS."""

    model: Annotated[Literal["flat", "rows"], _unit("", "kind")] = "flat"
    latency: Annotated[int, _unit("cycles", "flat: an access", ge=1)] = 100
    banks: Annotated[int, _unit("banks", "rows: banks", ge=1)] = 8
    row: Annotated[Bytes, _unit("bytes", "rows: row buffer of a bank", ge=64)] = 4096
    row_hit: Annotated[int, _unit("cycles", "rows: access to the open row", ge=1)] = 100
    row_conflict: Annotated[int, _unit("cycles", "rows: access to another row", ge=1)] = 300


class Machine(Part):
    """All that the timing engine knows of a machine."""

    name: Annotated[str, _unit("", "name of the preset")]
    title: Annotated[str, _unit("", "what it is")] = ""
    clock_ghz: Annotated[float, Field(strict=False, gt=0, json_schema_extra={"unit": "GHz"})] = 1.0
    wpus: Annotated[int, _unit("WPUs", "cores", ge=1, le=64)] = 1
    warps: Annotated[int, _unit("warps", "warp contexts per WPU", ge=1, le=64)] = 4
    width: Annotated[int, _unit("lanes", "SIMD width", ge=1, le=64)] = 16
    issue: Annotated[Literal["switch-on-access", "barrel"], _unit("", "issue discipline")] = (
        "switch-on-access"
    )
    pipeline: Annotated[
        int, _unit("stages", "barrel: cycles until a warp is fetched again", ge=1)
    ] = 7
    scheduler: Annotated[
        Literal["fifo", "rr", "lrr", "swf", "gto", "two-level"], _unit("", "warp scheduler")
    ] = "rr"
    fetch_group: Annotated[int, _unit("warps", "two-level: warps of a fetch group", ge=1)] = 8
    slots: Annotated[int, _unit("groups", "scheduler slots; 0: one for each group", ge=0)] = 0
    wst_entries: Annotated[int, _unit("entries", "warp-split table; 0: unlimited", ge=0)] = 0
    interval: Annotated[int, _unit("cycles", "of periodic decisions (slip); 0: never", ge=0)] = 0
    first: Annotated[
        Literal["fallthrough", "taken", "majority", "minpc"],
        _unit("", "the path of a divergent branch that runs first (Q-DWS-11)"),
    ] = "fallthrough"
    memory: Annotated[
        Literal["coherent", "bulk", "gpu", "ideal", "adversary"], _unit("", "memory system")
    ] = "ideal"
    l1i: Cache = Cache()
    l1d: Cache = Cache(size=32 << 10, ways=8, hit_latency=3, mshrs=32, targets=32)
    l2: Cache = Cache()
    crossbar: Link = Link()
    bus: Link = Link()
    dram: Dram = Dram()
    coherence_latency: Annotated[
        int, _unit("cycles", "an invalidation or forward, beyond the crossbar's round trip", ge=0)
    ] = 0
    private: Annotated[Literal["cached", "on-chip"], _unit("", "where private memory is")] = (
        "cached"
    )
    group_banks: Annotated[int, _unit("banks", "of group memory, a power of two", ge=1)] = 32
    complex_units: Annotated[
        int, _unit("units", "for sin, cos, exp2, log2; 0: as many as lanes", ge=0)
    ] = 0
    adversary_seed: Annotated[int, _unit("", "adversary: seed; 0: first touch misses", ge=0)] = 0
    policy: Mapping[str, bool | int | str] = {}
    sources: Mapping[str, str] = {}

    @property
    def contexts(self) -> int:
        """Work-items that the machine holds at once."""
        return self.wpus * self.core_contexts

    @property
    def core_contexts(self) -> int:
        """Work-items that a WPU holds at once."""
        return self.warps * self.width

    @property
    def first_path(self) -> int:
        """`first` as engine code knows it."""
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
        return self


def names() -> list[str]:
    """The presets."""
    folder = resources.files(PACKAGE) / "machines"
    return sorted(f.name[: -len(".toml")] for f in folder.iterdir() if f.name.endswith(".toml"))


def load(name: str | Path, overrides: Mapping[str, object] | None = None) -> Machine:
    """A machine: a preset's name or a TOML file, with fields replaced (`{"l1d.size": "16KiB"}`).

    Raises MachineError, which lists every mistake with its key.
    """
    text, where = _source(str(name))
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        raise MachineError(f"{where}: {e}") from None
    table.setdefault("name", Path(str(name)).stem)
    for key, value in (overrides or {}).items():
        _put(table, key, value)
    return build(table, where)


def build(table: Mapping[str, Any], where: str) -> Machine:
    """A machine out of nested tables; raises MachineError."""
    try:
        return Machine.model_validate(table)
    except ValidationError as e:
        lines = [_mistake(error) for error in e.errors()]
        raise MachineError(
            f"{where} is no machine: " + ("; ".join(lines)),
            hint="`simtlab machines NAME` prints a preset with all keys and units",
        ) from None


def _source(name: str) -> tuple[str, str]:
    if name.endswith(".toml"):
        path = Path(name)
        try:
            return path.read_text(encoding="utf-8"), name
        except OSError as e:
            raise MachineError(f"cannot read machine file {name}: {e.strerror}") from None
    if name not in names():
        raise MachineError(
            f"there is no machine {name!r}",
            hint=did_you_mean(name, names()) or f"there are {', '.join(names())}",
        )
    return (resources.files(PACKAGE) / "machines" / f"{name}.toml").read_text("utf-8"), name


def _put(table: dict[str, Any], key: str, value: object) -> None:
    """Set `l1d.size`; a text that is a number or a truth value becomes one."""
    *path, last = key.replace("-", "_").split(".") if not key.startswith("policy.") else (
        "policy", key.partition(".")[2]
    )  # fmt: skip
    here = table
    for part in path:
        here = here.setdefault(part, {})
        if not isinstance(here, dict):
            raise MachineError(f"{key!r} is no key of a machine: {part!r} is a single value")
    here[last] = _value(value)


def _value(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return tomllib.loads(f"v = {value}")["v"]
    except tomllib.TOMLDecodeError:
        return value


def _mistake(error: Any) -> str:
    key = ".".join(str(p) for p in error["loc"])
    if error["type"] == "extra_forbidden":
        near = difflib.get_close_matches(key, _all_keys(), 1)
        return f"{key}: unknown key" + (f" (did you mean {near[0]}?)" if near else "")
    text = str(error["msg"]).removeprefix("Value error, ")
    return f"{key or 'geometry'}: {text} (got {error['input']!r})" if key else text


def _all_keys() -> list[str]:
    found: list[str] = []
    for key, spec in Machine.model_fields.items():
        kind = spec.annotation
        if isinstance(kind, type) and issubclass(kind, Part):
            found += [f"{key}.{inner}" for inner in kind.model_fields]
        found.append(key)
    return found
