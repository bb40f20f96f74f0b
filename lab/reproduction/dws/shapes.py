"""Figure 18: three policies on machines of every width and number of warps."""

from __future__ import annotations

from collections.abc import Mapping

from ...runs.run import Scalar
from ..claims import Claim, at_most, holds, number, partly
from ..figure import Figure, series
from ..results import Config, Results
from ..sets import DWS_PROGRAMS, at
from ..study import Study
from .common import BYPASS, CONV, DWS, THREE, contexts
from .reasons import NEVER_MEET, PERSISTENT, SLIP_BRANCHES, WIDE_CACHES

GRID_WIDTHS = (1, 2, 4, 8, 16)
GRID_WARPS = (1, 2, 4, 8, 16)
CACHES = {
    "a": ("8 ways, 32 KB", {"l1d.ways": 8, "l1d.size": "32KiB"}),
    "b": ("fully associative, 32 KB", {"l1d.ways": 0, "l1d.size": "32KiB"}),
    "c": ("8 ways, 256 KB", {"l1d.ways": 8, "l1d.size": "256KiB"}),
    "d": ("fully associative, 256 KB", {"l1d.ways": 0, "l1d.size": "256KiB"}),
}


def _shape(warps: int, width: int) -> str:
    return f"{warps} x {width}"


def _grid(cache: Mapping[str, Scalar]) -> dict[str, Config]:
    """At width 1 no policy can differ from Conv, so that one simulation serves all."""
    return {
        at(name, _shape(m, w)): Config(
            "dws", policy if w > 1 else "conv",
            {**contexts(w, m), **cache, "l2.size": "4MiB"},
        )
        for name, policy in THREE.items() for w in GRID_WIDTHS for m in GRID_WARPS
    }  # fmt: skip


def _grid_speedup(results: Results, name: str, shape: str) -> float:
    return results.mean_speedup(at(name, shape), at(CONV, _shape(1, 1)), "harmonic")


def _grid_map(results: Results, key: str, name: str) -> Figure:
    return Figure(
        f"dws-fig18{key}-{name.lower()}", f"{name}: {CACHES[key][0]}", "map",
        "SIMD width", "warps", tuple(map(str, GRID_WIDTHS)),
        {
            str(m): series(
                (str(m),), tuple(map(str, GRID_WIDTHS)),
                lambda row, column: _grid_speedup(results, name, _shape(int(row), int(column))),
            )[str(m)]
            for m in GRID_WARPS
        },
    )  # fmt: skip


def _wide_gain(results: Results) -> tuple[str, int, int]:
    shapes = [_shape(m, w) for w in GRID_WIDTHS if w >= 8 for m in GRID_WARPS]
    worse = [
        s for s in shapes
        if _grid_speedup(results, DWS, s) < 0.995 * _grid_speedup(results, CONV, s)
    ]  # fmt: skip
    return f"worse at {', '.join(worse) or 'none'}", len(shapes) - len(worse), len(shapes)


def _budget(results: Results) -> float:
    shapes = [_shape(m, w) for m in GRID_WARPS for w in GRID_WIDTHS if m * w <= 32]
    best = {n: max(_grid_speedup(results, n, s) for s in shapes) for n in (CONV, DWS)}
    return best[DWS] / best[CONV]


def _slip_scales_badly(results: Results) -> tuple[str, bool]:
    slip, conv = (_grid_speedup(results, n, _shape(4, 16)) for n in (BYPASS, CONV))
    return f"{slip:.2f} against {conv:.2f} at 4 x 16", slip < conv


def _matters_little(results: Results) -> float:
    shape = _shape(4, 16)
    return _grid_speedup(results, DWS, shape) / _grid_speedup(results, CONV, shape)


def figure_18() -> list[Study]:
    """Figure 18: three policies on machines of every shape, with four caches."""
    claims: dict[str, tuple[Claim, ...]] = {
        "a": (
            number("best DWS over best Conv within 32 threads", 1.2, _budget, why=PERSISTENT),
            holds(
                "Slip.BranchBypass may be below Conv", "yes", _slip_scales_badly, why=SLIP_BRANCHES
            ),
        ),
        "d": (
            at_most(
                "DWS matters little at 4 x 16", "little", 1.1, _matters_little, why=WIDE_CACHES
            ),
        ),
    }
    return [
        Study(
            f"dws-fig18{key}", f"Three policies by width and warps: {title}", f"DWS Figure 18{key}",
            DWS_PROGRAMS, _grid(cache),
            lambda r, k=key: [_grid_map(r, k, name) for name in THREE],
            (
                partly("DWS is not below Conv where warps are 8 lanes or wider", "yes", _wide_gain,
                       why=NEVER_MEET),
                *claims.get(key, ()),
            ),
            note="Speedup over one warp of one lane with the same cache; harmonic mean.",
        )
        for key, (title, cache) in CACHES.items()
    ]  # fmt: skip
