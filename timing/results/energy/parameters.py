"""The figures of the energy and area models: a TOML file each, with sources."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from ....isa.errors import UsageError, did_you_mean
from ...machines.presets import Part, Presets, key_of, wording

PACKAGE = __package__ or "simtlab.timing.results.energy"

Figure = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Whole = Annotated[int, Field(gt=0)]


class Dynamic(Part):
    """Energy of an event, in pJ at the file's supply."""

    fetch_decode: Figure
    l1i_access: Figure
    int_op: Figure
    float_op: Figure
    div_op: Figure
    complex_op: Figure
    move_op: Figure
    register_read: Figure
    register_write: Figure
    result: Figure
    l1d_access: Figure
    l2_access: Figure
    crossbar_byte: Figure
    crossbar_header: Figure
    """Of every transfer, with data or without."""
    bus_byte: Figure
    dram_access: Figure


class Power(Part):
    """What is spent all the time, in mW at the file's supply."""

    clock_per_wpu: Figure
    """At 1 GHz."""
    leakage_per_lane: Figure
    leakage_per_wpu: Figure
    leakage_per_l1_kib: Figure
    leakage_per_l2_kib: Figure


class Areas(Part):
    """Sizes in mm² at `technology_nm`; `shrink` is the factor of a generation's areas."""

    technology_nm: Whole
    shrink: Figure
    int_alu: Figure
    float_alu: Figure
    register_kib: Figure
    cache_kib: Figure
    front_end: Figure
    scheduler_entry: Figure
    decoder_share: Figure
    """Of the register file's area: a decoder for each lane's bank in place of one."""
    maws_entry_bytes: Whole


class Parameters(Part):
    """All parameters; `sources` has the source of each one, by `table.key`."""

    title: str = ""
    technology_nm: Whole
    vdd: Figure
    dynamic: Dynamic
    power: Power
    area: Areas
    sources: Mapping[str, str] = {}


_PRESETS = Presets(
    PACKAGE,
    "energy model",
    partial(UsageError, code="SIM603"),
    "timing/results/energy/65nm.toml in the package has every key",
)

names = _PRESETS.names
"""Names of the files that come with simtlab."""


def load(name: str | Path = "65nm") -> Parameters:
    """Load parameters by name or from a TOML file. Raises UsageError, which lists every mistake."""
    table, where = _PRESETS.read(str(name))
    return _PRESETS.build(Parameters, table, where, _mistake)


def _mistake(error: Any) -> str:
    if error["type"] != "extra_forbidden":
        return wording(error)
    table, _, last = key_of(error).rpartition(".")
    model: Any = Parameters.model_fields[table].annotation if table else Parameters
    near = did_you_mean(last, list(model.model_fields))
    return f"{key_of(error)}: unknown key" + (f" ({near})" if near else "")
