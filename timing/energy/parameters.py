"""The figures of the energy and area models: a TOML file each, with sources."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path

from ...isa.errors import UsageError, did_you_mean

PACKAGE = __package__ or "simtlab.timing.energy"


@dataclass(frozen=True)
class Dynamic:
    """Energy of an event, in pJ at the file's supply."""

    fetch_decode: float
    l1i_access: float
    int_op: float
    float_op: float
    div_op: float
    complex_op: float
    move_op: float
    register_read: float
    register_write: float
    result: float
    l1d_access: float
    l2_access: float
    crossbar_byte: float
    bus_byte: float
    dram_access: float


@dataclass(frozen=True)
class Power:
    """What is spent all the time, in mW at the file's supply."""

    clock_per_wpu: float
    """At 1 GHz."""
    leakage_per_lane: float
    leakage_per_wpu: float
    leakage_per_l1_kib: float
    leakage_per_l2_kib: float


@dataclass(frozen=True)
class Areas:
    """Sizes in mm² at `technology_nm`; `shrink` is the factor of a generation's areas."""

    technology_nm: int
    shrink: float
    int_alu: float
    float_alu: float
    register_kib: float
    cache_kib: float
    front_end: float
    maws_entry_bytes: int


@dataclass(frozen=True)
class Parameters:
    """All of them; `sources` has where each one is from, by `table.key`."""

    title: str
    technology_nm: int
    vdd: float
    dynamic: Dynamic
    power: Power
    area: Areas
    sources: Mapping[str, str]


_TABLES = {"dynamic": Dynamic, "power": Power, "area": Areas}


def names() -> list[str]:
    """The files that come with simtlab."""
    found = (f.name for f in resources.files(PACKAGE).iterdir())
    return sorted(name[: -len(".toml")] for name in found if name.endswith(".toml"))


def load(name: str | Path = "65nm") -> Parameters:
    """Parameters by name or from a TOML file. Raises UsageError."""
    if str(name).endswith(".toml"):
        try:
            text = Path(name).read_text(encoding="utf-8")
        except (OSError, ValueError) as problem:
            raise UsageError(f"cannot read {name}: {problem}", code="SIM510") from None
    elif name in names():
        text = (resources.files(PACKAGE) / f"{name}.toml").read_text("utf-8")
    else:
        raise UsageError(
            f"there are no energy parameters {str(name)!r}",
            code="SIM603",
            hint=did_you_mean(name, names()) or f"there are {', '.join(names())}",
        )
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise UsageError(f"{name}: {problem}", code="SIM603") from None
    return _build(table, str(name))


def _build(table: dict[str, object], where: str) -> Parameters:
    parts: dict[str, object] = {}
    for key, cls in _TABLES.items():
        given = table.get(key)
        wanted = {f.name for f in fields(cls)}
        if not isinstance(given, dict) or set(given) != wanted:
            odd = sorted(wanted ^ set(given if isinstance(given, dict) else ()))
            raise UsageError(
                f"{where}: table [{key}] must have exactly {', '.join(sorted(wanted))}; look at "
                f"{', '.join(odd)}",
                code="SIM603",
            )
        wrong = [k for k, v in given.items() if isinstance(v, bool) or not _positive(v)]
        if wrong:
            raise UsageError(f"{where}: {key}.{wrong[0]} must be a positive number", code="SIM603")
        parts[key] = cls(**given)
    sources = table.get("sources", {})
    if not _positive(table.get("technology_nm")) or not _positive(table.get("vdd")):
        raise UsageError(f"{where}: technology_nm and vdd must be positive numbers", code="SIM603")
    return Parameters(
        str(table.get("title", "")),
        table["technology_nm"],  # pyright: ignore[reportArgumentType]
        table["vdd"],  # pyright: ignore[reportArgumentType]
        **parts,  # pyright: ignore[reportArgumentType]
        sources=sources if isinstance(sources, dict) else {},
    )


def _positive(value: object) -> bool:
    return isinstance(value, (int, float)) and 0 < value < float("inf")
