"""Comparison of the timing engine with a model, case by case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..toy import Toy
from .barrel import Barrel, run
from .pairs import PairedPaths, per_thread
from .programs import Case
from .splits import CHOICES, Choices, Issue, Policy, Wpu
from .text import scenario


def engine_issues(toy: Toy) -> list[Issue]:
    """Return the timeline of a recorded run.

    Lanes that merged at an access are in the recording as groups of their own, in the same cycle.
    """
    assert toy.recorder is not None
    masks: dict[tuple[int, int, int], int] = {}
    for t, warp, _, _, pc, n, mask in toy.recorder.finish().issues.tolist():
        for i in range(n):
            key = (t + i, warp, pc + i)
            masks[key] = masks.get(key, 0) | mask
    return [Issue(*key, mask) for key, mask in sorted(masks.items())]


MOST_ORDERS = 200
"""How many orders of ties are tried."""


def difference(case: Case, name: str, policy: Policy, setting: str = "") -> str:
    """Return how the engine and the model differ on a case; an empty text if they agree.

    They agree if the model does what the engine does in some order of ties. `setting` is one of
    `CHOICES`, or empty.
    """
    key, _, value = setting.partition("=")
    fields: dict[str, Any] = {f"policy.{key}": value} if setting else {}
    toy = Toy(scenario(case), name, recorded=True, **fields)
    choices = CHOICES[setting] if setting else Choices()
    issues = engine_issues(toy)
    orders: list[int] | None = []
    first = ""
    for _ in range(MOST_ORDERS):
        model = Wpu(case, policy, choices, orders).run()
        cycle, found = _compare(model, toy, issues)
        if not found:
            return ""
        first = first or found
        orders = _next(orders, [n for at, n in model.ties if at <= cycle])
        if orders is None:
            return f"{name} {setting}: {first}"
    return f"{name} {setting}: {first} (in {MOST_ORDERS} orders of ties)"


def _next(orders: Sequence[int], ties: Sequence[int]) -> list[int] | None:
    """Return the next orders to try, None after the last: the last tie changes first."""
    tried = [*orders, *[0] * len(ties)][: len(ties)]
    while tried:
        tried[-1] += 1
        if tried[-1] < ties[len(tried) - 1]:
            return tried
        tried.pop()
    return None


def model_widths(issues: Sequence[Issue]) -> dict[int, int]:
    """Return how many instructions issued with each number of lanes; a cycle issues one."""
    lanes = Counter[int]()
    for issue in issues:
        lanes[issue.cycle] += issue.mask.bit_count()
    return dict(sorted(Counter(lanes.values()).items()))


def engine_widths(toy: Toy) -> dict[int, int]:
    """Return the same of the engine."""
    counts = toy.sim.state.rows["width_count"]["cycles"].tolist()
    return {lanes: n for lanes, n in enumerate(counts) if n}


def _compare(model: Wpu, toy: Toy, issues: Sequence[Issue]) -> tuple[int, str]:
    """Return the cycle of the first difference, and what it is; an empty text for none."""
    for ours, engines in zip(model.issues, issues, strict=False):
        if ours != engines:
            return min(ours.cycle, engines.cycle), f"model {ours}, engine {engines}"
    pairs = {
        "cycles": (model.cycles, toy.cycles),
        "instructions": (len(model.issues), toy.issued),
        "misses": (model.lane_misses, toy.counters["l1_miss"]),
        "joined misses": (model.joined_misses, toy.counters["mshr_merge"]),
        "widths": (model_widths(model.issues), engine_widths(toy)),
    }
    differ = ", ".join(f"{what}: model {a}, engine {b}" for what, (a, b) in pairs.items() if a != b)
    return toy.cycles, differ


TRACES: dict[str, tuple[str, dict[str, Any]]] = {
    "conv": ("conv", {}),
    "ppc": ("ppc", {}),
    "ppc, no cascade": ("ppc", {"policy.cascade": False}),
    "per-thread": ("per-thread", {}),
}
"""Policies whose traces are compared: name and settings."""


def trace_difference(case: Case, which: str) -> str:
    """Return how the traces of a case's only warp differ under one of `TRACES`; else nothing."""
    match which:
        case "conv":
            model = [(i.pc, i.mask) for i in Wpu(case, Policy()).run().issues]
        case "per-thread":
            model = per_thread(case)
        case _:
            model = PairedPaths(case, cascade=which == "ppc").trace()
    name, fields = TRACES[which]
    toy = Toy(scenario(case), name, recorded=True, **fields)
    engine = [(issue.pc, issue.mask) for issue in engine_issues(toy)]
    for n, (ours, engines) in enumerate(zip(model, engine, strict=False)):
        if ours != engines:
            return f"{which}: instruction {n}: model {ours}, engine {engines}"
    if len(model) != len(engine):
        return f"{which}: model {len(model)} instructions, engine {len(engine)}"
    return ""


def barrel_difference(case: Case, barrel: Barrel) -> str:
    """Return how engine and model differ on a barrel; an empty text if they agree."""
    model, cycles = run(case, barrel)
    policy = "conv" if barrel.rows == 1 else "lwm"
    fields: dict[str, Any] = {"scheduler": barrel.scheduler, "fetch_group": barrel.fetch_group}
    if barrel.rows > 1:
        fields |= {
            "policy.warp": barrel.rows * case.width,
            "policy.memory-rows": barrel.memory_rows,
            "policy.jump-once": barrel.jump_once,
        }
    kernel = replace(scenario(case), workgroup=barrel.rows)
    toy = Toy(kernel, policy, recorded=True, issue="barrel", pipeline=barrel.stages, **fields)
    engine = engine_issues(toy)
    for ours, engines in zip(model, engine, strict=False):
        if ours != engines:
            return f"{barrel}: model {ours}, engine {engines}"
    idle = cycles - len({issue.cycle for issue in model})
    pairs = {
        "cycles": (cycles, toy.cycles),
        "idle": (idle, toy.idle),
        "widths": (model_widths(model), engine_widths(toy)),
    }
    differ = ", ".join(f"{what}: model {a}, engine {b}" for what, (a, b) in pairs.items() if a != b)
    return f"{barrel}: {differ}" if differ else ""
