"""The area of warp-split tables, which a paper reports as a share of a WPU."""

from __future__ import annotations

from ...timing.machines.machine import load
from ...timing.results.energy.area import area_of
from .claims import at_most, unknown
from .study import Study


def area_study(paper: str, source: str, machine: str, bound: float, *, title: str) -> Study:
    """Return the study of the tables that the policies of `paper` add to a WPU of a machine.

    The paper says that they take less than `bound` of it, a share. `source` is the section.
    """
    command = f"`simtlab machines {machine} --area` prints the parts"
    why = unknown(
        f"areas are estimates from the bits of each table, and no constant was fitted; {command}"
    )
    share = at_most(
        "share of a WPU", f"below {bound:.0%}", bound,
        lambda results: area_of(load(machine)).share(paper), form=".2%", why=why,
    )  # fmt: skip
    note = f"{command}."
    return Study(f"{paper}-area", title, source, (), {}, lambda results: [], (share,), note=note)
