"""The random cases of a seed, of each kind, and how engine and model differ on them."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from .barrel import Barrel
from .compare import TRACES, barrel_difference, difference, trace_difference
from .graphs import random_graph
from .nests import random_case
from .programs import Case
from .splits import CHOICES, POLICIES

FAR = (8, 300)
"""Latencies of the barrel's cases."""


def split_case(seed: int) -> Case:
    """Return a nest for warps that split; every third one has `break` and early returns."""
    widths, warps = [((4,), (1, 2, 3)), ((8,), (2, 3)), ((2, 3, 5, 16), (1, 2, 4))][seed // 3 % 3]
    return random_case(Random(seed), widths=widths, warps=warps, leaves=seed % 3 == 2)


def split_differences(seed: int, policies: int = len(POLICIES)) -> list[str]:
    """Return the differences under some of the policies, which change with the seed."""
    case, names = split_case(seed), list(POLICIES)
    chosen = [names[(seed * policies + i) % len(names)] for i in range(policies)]
    return _found(seed, (difference(case, name, POLICIES[name]) for name in chosen))


def choice_differences(seed: int) -> list[str]:
    """Return the differences under a policy that has all of the settings that the model knows."""
    case, name = split_case(seed), ("dws.revive-split", "dws.revive-split.bl")[seed % 2]
    return _found(seed, (difference(case, name, POLICIES[name], s) for s in CHOICES))


def pair_case(seed: int) -> Case:
    """Return an acyclic graph, or a nest with or without `break` and early returns."""
    random = Random(seed)
    if seed % 3 == 0:
        return random_graph(random)
    loads, leaves = seed % 2 == 0, seed % 3 == 2
    return random_case(random, widths=(4, 8, 16), warps=(1,), loads=loads, leaves=leaves)


def pair_differences(seed: int) -> list[str]:
    case = pair_case(seed)
    return _found(seed, (trace_difference(case, which) for which in TRACES))


def barrel_case(seed: int) -> tuple[Case, Barrel]:
    """Return a nest for 1 to 32 warps, whose paths differ, and how they are fetched."""
    random = Random(seed)
    warps = random.randint(1, 32)
    widths = (1, 1, 2, 4)
    case = random_case(random, widths=widths, warps=(warps,), latencies=FAR, shared=False, most=400)
    scheduler = random.choice(("rr", "lrr", "two-level", "two-level", "two-level"))
    return case, Barrel(scheduler, random.randint(1, 32), random.choice((7, 7, 3, 12)))


def barrel_differences(seed: int) -> list[str]:
    return _found(seed, [barrel_difference(*barrel_case(seed))])


def large_case(seed: int) -> tuple[Case, Barrel]:
    """Return a nest for large warps of 2 to 8 rows, with and without each optimisation."""
    random = Random(seed)
    rows = random.choice((2, 3, 4, 8))
    case = random_case(
        random,
        widths=(2, 4, 5, 8),
        warps=(rows * random.randint(1, 4),),
        loads=seed % 3 > 0,
        leaves=seed % 4 == 3,
        latencies=FAR,
        shared=False,
    )
    barrel = Barrel(
        random.choice(("rr", "lrr", "two-level", "two-level")),
        random.choice((1, 2, 4)),
        random.choice((7, 7, 3, 12)),
        rows,
        memory_rows=random.random() < 0.5,
        jump_once=random.random() < 0.5,
    )
    return case, barrel


def large_differences(seed: int) -> list[str]:
    return _found(seed, [barrel_difference(*large_case(seed))])


def _found(seed: int, differences: Iterable[str]) -> list[str]:
    return [f"seed {seed}, {text}" for text in differences if text]
