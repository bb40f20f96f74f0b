"""Agreement of engines and schemes: the final memory, compared with the oracle's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..emu.engine import SchemeSpec, engine_names
from ..emu.result import Result
from ..emu.schemes import SCHEMES, Scheme, is_usual
from ..emu.traps import Trap
from ..isa.errors import UsageError
from ..isa.quoting import shown
from .case import Case

BUDGET = 1 << 14
"""Instructions of a work-item: ten times what one of a random kernel executes at most."""

Outcome = tuple[Result | None, list[np.ndarray], Trap | None]
"""Result, arrays after the run, and the trap that ended it if one did."""


def run_case(
    case: Case,
    engine: str = "interp",
    scheme: str | SchemeSpec | type[Scheme] = "stack",
    *,
    width: int | None = None,
    budget: int = BUDGET,
    stats: bool = False,
) -> Outcome:
    """Run a case once, on copies of its arguments."""
    if not isinstance(case, Case):
        raise UsageError(
            f"a Case is run, not {shown(case)}",
            code="SIM515",
            hint="simtlab.testing.kernels() draws cases",
        )
    geometry = case.geometry if width is None else replace(case.geometry, width=width)
    (function,) = case.module
    launch = function.launch(
        items=geometry.items,
        group_size=geometry.group_size,
        warp=geometry.width,
        engine=engine,
        scheme=scheme,
        budget=budget,
        stats=stats,
    )
    arguments = case.arguments()
    trap = result = None
    try:
        result = launch(*arguments)
    except Trap as caught:
        trap = caught
    return result, [a for a in arguments if isinstance(a, np.ndarray)], trap


def assert_all_agree(
    case: Case,
    *,
    engines: Iterable[str] | None = None,
    schemes: Iterable[str | SchemeSpec] | None = None,
    widths: Iterable[int] | None = None,
    budget: int = BUDGET,
) -> dict[tuple[str, str, int], Result]:
    """Assert that every engine and scheme leaves the oracle's memory, bit for bit.

    The case must be race-free, must not use cross-lane operations or `clock`, and must not trap.
    Widths default to that of the case. Only the interpreter follows schemes other than the usual
    one. `budget` bounds the instructions of a work-item, so that a scheme that never ends is
    noticed soon. Returns the results by (engine, scheme, width). Raises AssertionError that shows
    the kernel and the first difference.
    """
    _, expected, trap = run_case(case, "oracle", budget=budget)
    if trap is not None:
        raise AssertionError(f"the kernel traps in the oracle:\n{trap}\n{case}")
    results: dict[tuple[str, str, int], Result] = {}
    for engine in engines or [e for e in engine_names() if e != "oracle"]:
        for scheme in schemes or SCHEMES:
            if engine != "interp" and not is_usual(_spec(scheme)):
                continue  # native code follows no scheme
            name = scheme if isinstance(scheme, str) else scheme.name
            for width in widths or (case.geometry.width,):
                subject = f"{engine}, scheme {name}, warps of {width}"
                result, arrays, trap = run_case(case, engine, scheme, width=width, budget=budget)
                if result is None:
                    raise AssertionError(f"{subject}: {trap}\n{case}")
                assert_same_memory(subject, expected, arrays, case)
                results[engine, name, width] = result
    return results


def _spec(scheme: str | SchemeSpec) -> SchemeSpec:
    return SchemeSpec(scheme) if isinstance(scheme, str) else scheme


def assert_same_memory(
    subject: str, expected: list[np.ndarray], got: list[np.ndarray], case: Case
) -> None:
    """Assert that two lists of arrays have equal bytes; `subject` left the second."""
    for number, (want, have) in enumerate(zip(expected, got, strict=True)):
        # Bytes, not values: NaN payloads and the sign of zero count.
        different = np.flatnonzero(_words(want) != _words(have))
        if different.size:
            first = int(different[0])
            raise AssertionError(
                f"{subject}: array {number} differs from the oracle's in {different.size} "
                f"elements; the first is {first}: oracle {_words(want)[first]:#x}, "
                f"here {_words(have)[first]:#x}\n{case}"
            )


def _words(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).reshape(-1).view(f"uint{array.dtype.itemsize * 8}")
