"""`simtlab machines` and `simtlab policies`: lists of what a simulation can use."""

from __future__ import annotations

import sys
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...isa.errors import UsageError
from .. import status
from ..options.complete import machines as complete_machines
from ..options.complete import policies as complete_policies
from ..options.options import Json

if TYPE_CHECKING:
    from ...timing.machines.machine import Machine
    from ...timing.policies import Policy
    from ...timing.results.energy.area import Area


def machines(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME|F.toml",
            help="Show every field of this machine.",
            autocompletion=complete_machines,
        ),
    ] = None,
    area: Annotated[
        bool,
        typer.Option(
            "--area", help="Show the area of a WPU and what each family of policies adds to it."
        ),
    ] = False,
    json: Json = False,
) -> int:
    """List the machines that come with simtlab, or show every field of one.

    A machine file of your own is named by its path.

    For example:

      simtlab machines
      simtlab machines dws
      simtlab machines mine.toml --json
      simtlab machines dws --area
    """
    from ...timing.machines.machine import load, names
    from ...timing.results.energy.area import area_of
    from ..output.output import print_json, print_table

    if area:
        if name is None:
            raise UsageError(
                "--area needs the name of a machine",
                code="SIM514",
                hint=f"for example `simtlab machines {names()[0]} --area`",
            )
        found = area_of(load(name))
        print_json({"name": load(name).name, **found.to_dict()}) if json else _print_area(found)
    elif name is not None:
        machine = load(name)
        print_json(_details(machine)) if json else _print_machine(machine)
    elif json:
        print_json([_brief(load(n)) for n in names()])
    else:
        print_table(("name", "title"), [(m.name, m.title) for m in map(load, names())])
    return status.DONE


def policies(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME|F.py",
            help="Show text, machines and settings of this policy.",
            autocompletion=complete_policies,
        ),
    ] = None,
    json: Json = False,
) -> int:
    """List the policies (what warps do at branches, misses and joins), or show one.

    An engine file of your own is named by its path.

    For example:

      simtlab policies
      simtlab policies dws.revive-split
    """
    from ...timing.compiler.files import POLICIES, find
    from ...timing.policies.settings import title_of
    from ..output.output import print_json, print_table

    if name is not None:
        policy = find(name)
        print_json(_policy_details(policy)) if json else _print_policy(policy)
    elif json:
        print_json([_policy_brief(p) for p in POLICIES.values()])
    else:
        lines = [(p.name, title_of(p), p.source) for p in POLICIES.values()]
        print_table(("name", "what it does", "source"), lines)
    return status.DONE


def _policy_brief(policy: Policy) -> dict[str, Any]:
    from ...timing.policies.settings import title_of

    return {"name": policy.name, "title": title_of(policy), "source": policy.source}


def _policy_details(policy: Policy) -> dict[str, Any]:
    from ...timing.policies.settings import settings_of

    return {
        **_policy_brief(policy),
        "text": policy.text,
        "settings": [
            {
                "key": f"policy.{s.name}",
                "value": s.value,
                "values": list(s.values) or None,
                "takes": s.takes,
                "text": s.text,
            }
            for s in settings_of(policy)
        ],
        "machines": (machines := _presets(policy)),
        "refusal": None if machines else _refusal(policy),
        "scheduler": policy.scheduler,
        "fetch_group": policy.fetch_group,
        "files": [*policy.files, *policy.extra_files(policy.settings)],
    }


def _presets(policy: Policy) -> dict[str, list[str]]:
    """Return the machines that can run a policy, by issue discipline."""
    from ...timing.compiler.choice import presets_for

    found: dict[str, list[str]] = {}
    for machine in presets_for(policy):
        found.setdefault(machine.issue, []).append(machine.name)
    return found


def _refusal(policy: Policy) -> str | None:
    """Return why the default machine cannot run a policy, or None if it can."""
    from ...timing.compiler.choice import refusal
    from ...timing.machines.machine import load

    error = refusal(load("dws"), policy)
    return error.first.message if error is not None else None


def _print_policy(policy: Policy) -> None:
    from textwrap import fill

    from ..output.output import console, print_rows, print_table

    details, width = _policy_details(policy), min(100, console(sys.stdout).width) - 11
    machines = [f"{issue}: {', '.join(names)}" for issue, names in details["machines"].items()]
    nowhere = f"none of simtlab's machines: {details['refusal']}"
    own = [
        (key.replace("_", " "), f"{details[key]}, unless another one is set")
        for key in ("scheduler", "fetch_group")
        if details[key] is not None
    ]
    print_rows([
        ("name", policy.name),
        ("title", details["title"]),
        ("source", policy.source),
        ("text", fill(policy.text, width)),
        ("runs on", "\n".join(machines) or fill(nowhere, width)),
        *own,
        ("files", fill(" ".join(details["files"]), width, break_long_words=False)),
    ])  # fmt: skip
    if details["settings"]:
        print()
        print_table(
            ("setting", "value", "takes", "what it does"),
            [
                (s["key"], str(s["value"]).lower(), s["takes"], s["text"])
                for s in details["settings"]
            ],
        )


def _brief(machine: Machine) -> dict[str, Any]:
    return {
        "name": machine.name,
        "title": machine.title,
        "source": machine.sources.get("width", ""),
        "contexts": machine.contexts,
    }


def _details(machine: Machine) -> dict[str, Any]:
    from ...timing.machines.machine import KEYS

    fields = [
        {"key": v.key, "value": v.value, "unit": v.unit, "text": v.text, "source": v.source}
        for v in KEYS.values(machine)
    ]
    return {**_brief(machine), "fields": fields, "derived": _derived(machine)}


def _derived(machine: Machine) -> dict[str, float]:
    """Return figures that follow from the fields, in the units of the papers."""
    found = {
        "contexts": machine.contexts,
        "contexts of a WPU": machine.core_contexts,
        "register file of a WPU, KiB": machine.core_contexts * machine.registers / 256,
    }
    links = {"crossbar": machine.crossbar, "bus": machine.bus}
    if machine.memory not in ("coherent", "bulk", "gpu"):
        return found
    if machine.memory == "gpu":
        del links["crossbar"]
    for name, link in links.items():
        found[f"{name}, GB/s"] = link.bytes_per_cycle * machine.clock_ghz
        found[f"{name}, cycles of an L1 line"] = round(_line_time(machine, name), 2)
    return found


def _line_time(machine: Machine, name: str) -> float:
    """Return how long a line of the first level occupies the crossbar or bus, in cycles."""
    size, cycles = (machine.crossbar if name == "crossbar" else machine.bus).fraction
    time = Fraction(machine.l1d.line * cycles, size)
    cycle = machine.crossbar_cycle if name == "crossbar" else 0
    return float(ceil(time / cycle) * cycle if cycle else time)


def _print_machine(machine: Machine) -> None:
    from ...timing.machines.machine import KEYS
    from ..output.output import print_rows, print_table

    print_rows([("name", machine.name), ("title", machine.title)])
    print()
    print_table(
        ("key", "value", "unit", "what", "source"),
        [(v.key, _shown(v.value), v.unit, v.text, v.source) for v in KEYS.values(machine)],
    )
    print("\nfrom these")
    print_rows([(f"  {key}", f"{value:,g}") for key, value in _derived(machine).items()])


def _print_area(area: Area) -> None:
    from ..output.output import print_table

    print_table(
        ("structure of a WPU", "size", "mm2", "share"),
        [
            *((s.name, s.size, *_mm2(s.mm2, s.share)) for s in area.structures),
            ("all", "", *_mm2(area.wpu_mm2, 1.0)),
        ],
    )
    print()
    lines: list[tuple[str, ...]] = []
    for family, added in area.additions.items():
        lines += [(family, s.name, s.size, *_mm2(s.mm2, s.share), s.source) for s in added]
        if len(added) > 1:
            share = area.share(family)
            lines.append((family, "all", "", *_mm2(share * area.wpu_mm2, share), ""))
    print_table(("policies", "addition", "size", "mm2", "share", "source"), lines)


def _mm2(area: float | None, share: float | None) -> tuple[str, str]:
    return ("-", "-") if area is None else (f"{area:.3f}", f"{share or 0:.2%}")


def _shown(value: object) -> str:
    if isinstance(value, int) and value >= 1024 and value % 1024 == 0:
        return f"{value >> 20}MiB" if value % (1 << 20) == 0 else f"{value >> 10}KiB"
    return f"{value:g}" if isinstance(value, float) else str(value)
