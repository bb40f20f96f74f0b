"""The programs of the papers' figures, and figures that several of them have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..runs.run import Scalar
from .figure import Figure, series
from .results import Config, Mean, Results, mean, short

DWS_PROGRAMS = tuple(
    f"dws/{name}" for name in ("fft", "filter", "hotspot", "lu", "merge", "short", "kmeans", "svm")
)  # in the order of DWS Table 1

MAWS_SIZES = {"dws/fft": "maws", "dws/svm": "maws"}
"""Programs that MAWS runs at another size than DWS."""

LWM_PROGRAMS = tuple(
    f"lwm/{name}"
    for name in (
        "blackjack", "sort", "viterbi", "kmeans", "decrypt", "blackscholes", "needleman", "hotspot",
        "matrixmult", "reduction", "histogram", "bfs",
    )
)  # fmt: skip
"""In the order of LWM Table 2: the first four are those with divergent branches (Q-LWM-22)."""

LWM_BRANCHING, LWM_WAITING = LWM_PROGRAMS[:4], LWM_PROGRAMS[4:11]

PPC_UNSTRUCTURED = ("ppc/exits", "ppc/fallthrough", "ppc/gotoerror", "ppc/shortcircuit")
PPC_STRUCTURED = (
    "ppc/binarysearch", "ppc/dct", "ppc/floydwarshall", "ppc/nw", "ppc/pathfinder", "ppc/scan",
)  # fmt: skip

SHORT_MEAN: dict[Mean, str] = {
    "harmonic": "h-mean", "arithmetic": "mean", "geometric": "g-mean",
}  # fmt: skip
"""By mean: its name beside the programs of a figure."""

MEANS: dict[str, Mean] = {name: kind for kind, name in SHORT_MEAN.items()}
"""The same the other way round."""


def policies(machine: str, names: Mapping[str, str], **sets: Scalar) -> dict[str, Config]:
    """Return a configuration per policy: `names` has the policy by the column's title."""
    return {title: Config(machine, policy, sets) for title, policy in names.items()}


def swept(
    machine: str, names: Mapping[str, str], values: Sequence[Scalar],
    fields: Callable[[Scalar], Mapping[str, Scalar]],
) -> dict[str, Config]:  # fmt: skip
    """Return a configuration per policy and value, named as `at` names them."""
    return {
        at(title, value): Config(machine, policy, fields(value))
        for title, policy in names.items()
        for value in values
    }


def at(title: str, value: object) -> str:
    """Return the name of a policy's configuration at a value of the x axis."""
    return f"{title} @ {value}"


def speedup_bars(
    results: Results, name: str, title: str, columns: Sequence[str], base: str, kind: Mean
) -> Figure:
    """Return bars by program and their mean: speedups over `base`."""
    last = SHORT_MEAN[kind]
    shorts = {short(p): p for p in results.programs}

    def number(column: str, category: str) -> float:
        if category == last:
            return results.mean_speedup(column, base, kind)
        return results.speedup(column, shorts[category], base)

    categories = (*shorts, last)
    return Figure(
        name, title, "bars", "program", f"speedup over {base}", categories,
        series(columns, categories, number), rule=1.0, digits=3,
    )  # fmt: skip


def time_lines(
    results: Results,
    name: str,
    title: str,
    x: str,
    titles: Sequence[str],
    values: Sequence[object],
    base: str,
    kind: Mean,
    programs: Sequence[str] = (),
) -> Figure:
    """Return lines over `values`: execution time over that of `base`, the mean of programs."""
    chosen = programs or results.programs
    labels = [str(value) for value in values]

    def number(policy: str, label: str) -> float:
        times = (1 / results.speedup(at(policy, label), p, base) for p in chosen)
        return mean(times, kind)

    return Figure(
        name, title, "lines", x, f"time, in units of {base}; {kind} mean", tuple(labels),
        series(titles, labels, number), rule=1.0, digits=3,
    )  # fmt: skip
