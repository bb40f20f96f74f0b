"""Fits the polynomials of isa/functions.py anew: minimax with coefficients that are f32 values.

    python -m tests.isa.support.functions_fit [sin exp2 log2]   (cos shares the polynomial of sin)

The best approximation for real coefficients is a linear programme over a fine grid. The
coefficients are then made f32 one by one, the one of lowest order first, each to several
neighbouring values, and the rest is fitted again around them; the few best sets survive each
round. Last, single coefficients move by an ulp or two as long as the error of the list itself,
evaluated in f32 on a dense grid, goes down. Needs scipy.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from simtlab.isa.functions import FUNCTIONS, Function

from .functions_numpy import REFERENCE, evaluate, ulp_error

Wide = NDArray[Any]
Fixed = dict[int, np.float32]


@dataclass(frozen=True)
class Fit:
    """sum c[j] * basis[j] ~ target with errors weighted; `places` are the c[j] in the list."""

    basis: list[Wide]
    target: Wide
    weight: Wide
    places: list[tuple[str, int]]
    x: NDArray[np.float32]


def grid(low: float, high: float, count: int = 240) -> Wide:
    """Chebyshev nodes in extended precision."""
    k = np.arange(count, dtype=np.longdouble)
    low_, high_ = np.longdouble(low), np.longdouble(high)
    return (low_ + high_) / 2 + (high_ - low_) / 2 * np.cos(np.pi * (2 * k + 1) / (2 * count))


def fits() -> dict[str, Fit]:
    """What each polynomial approximates, and how errors weigh: relative to the result."""
    z = grid(1e-4, (np.pi / 2 + 0.004) ** 2)
    r = np.sqrt(z)
    e = grid(-0.5, 0.5)
    f = grid(np.sqrt(0.5) - 1, np.sqrt(2) - 1)
    log = np.log2(1 + f)
    # In ulp, which is what counts near the ends of the range, and relative near 0.
    ulp = np.ldexp(np.longdouble(1), np.frexp(log)[1])
    log_weight = np.where(np.abs(f) > 0.004, np.abs(f) / ulp, np.abs(f / log))
    horner = [(f"p{j}", 2) for j in range(1, 8)]
    rng = np.random.default_rng(3)
    around = np.concatenate([np.linspace(0, 1.6, 100_000), rng.uniform(-200, 200, 200_000)])
    return {
        "sin": Fit(
            [z**j for j in range(4)],
            (np.sin(r) / r - 1) / z,
            z * r / np.sin(r),
            [("p", 1), ("p2", 2), ("p3", 2), ("p3", 1)],
            around.astype(np.float32),
        ),
        "exp2": Fit(
            [e ** (j + 1) for j in range(6)],
            np.exp2(e) - 1,
            np.exp2(-e),
            [*horner[:5], ("p5", 1)],
            np.linspace(-1, 1, 200_000, dtype=np.float32),
        ),
        "log2": Fit(
            [f**j for j in range(9)],
            log / f,
            log_weight,
            [("lm", 1), *horner, ("p7", 1)],
            np.linspace(0.35, 2.9, 300_000, dtype=np.float32),
        ),
    }


def minimax(fit: Fit, fixed: Fixed) -> tuple[Wide, float]:
    """All coefficients and the largest weighted error, with some coefficients given."""
    coefs = np.zeros(len(fit.basis), np.longdouble)
    coefs[list(fixed)] = list(fixed.values())
    free = [j for j in range(len(coefs)) if j not in fixed]
    rows = np.array(fit.basis).T * fit.weight[:, None]
    for _ in range(4 if free else 0):  # each round solves for what the last one left
        rest = fit.target * fit.weight - rows @ coefs
        size = np.abs(rest).max()
        scale = np.abs(rows[:, free]).max(axis=0)
        a = (rows[:, free] / scale).astype(np.float64)
        bound = (rest / size).astype(np.float64)
        slack = -np.ones((len(a), 1))
        solution = cast(Any, linprog)(  # whose source a type checker would go through
            [*np.zeros(len(free)), 1],
            A_ub=np.block([[a, slack], [-a, slack]]),
            b_ub=np.concatenate([bound, -bound]),
            bounds=[*[(None, None)] * len(free), (0, None)],
        )
        coefs[free] += solution.x[:-1] / scale * size
    return coefs, float(np.abs(fit.target * fit.weight - rows @ coefs).max())


def neighbours(value: np.float32, distance: int) -> list[np.float32]:
    """The f32 values up to some ulp away."""
    found = [value]
    for direction in (np.inf, -np.inf):
        near = value
        for _ in range(distance):
            near = np.nextafter(near, np.float32(direction))
            found.append(near)
    return found


def rounded(fit: Fit, survivors: int = 4) -> list[list[np.float32]]:
    """The best sets of f32 coefficients, best first."""
    sets: list[Fixed] = [{}]
    for j in range(len(fit.basis)):
        tried = [
            {**fixed, j: value}
            for fixed in sets
            for value in neighbours(np.float32(minimax(fit, fixed)[0][j]), 1)
        ]
        sets = sorted(tried, key=lambda fixed: minimax(fit, fixed)[1])[:survivors]
    return [list(fixed.values()) for fixed in sets]


def with_coefficients(function: Function, fit: Fit, coefs: list[np.float32]) -> Function:
    """The same list with other constants."""
    steps = list(function.steps)
    for (dst, place), value in zip(fit.places, coefs, strict=True):
        at = next(i for i, step in enumerate(steps) if step.dst == dst)
        args = list(steps[at].args)
        args[place] = int(value.view(np.uint32))
        steps[at] = replace(steps[at], args=tuple(args))
    other = replace(function)
    other.__dict__["steps"] = tuple(steps)
    return other


def measured(function: Function, fit: Fit, coefs: list[np.float32]) -> float:
    """The largest error of the list with these coefficients, in ulp."""
    got = evaluate(with_coefficients(function, fit, coefs), fit.x)
    return float(ulp_error(got, REFERENCE[function.name](fit.x.astype(np.float64))).max())


def climb(function: Function, fit: Fit, coefs: list[np.float32]) -> tuple[float, list[np.float32]]:
    """Single moves while the measured error goes down."""
    best = measured(function, fit, coefs), coefs
    while True:
        moves = [
            [*coefs[:j], value, *coefs[j + 1 :]]
            for j in range(len(coefs))
            for value in neighbours(coefs[j], 2)[1:]
        ]
        found = min(((measured(function, fit, move), move) for move in moves), key=lambda m: m[0])
        if found[0] >= best[0]:
            return best
        best, coefs = found, found[1]


if __name__ == "__main__":
    for name, fit in fits().items():
        if name not in (sys.argv[1:] or fits()):
            continue
        error, coefs = climb(FUNCTIONS[name], fit, rounded(fit)[0])
        print(f"{name}: {error:.4f} ulp on the grid with", *(str(c) for c in coefs))
