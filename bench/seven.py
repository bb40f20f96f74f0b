"""The seven problems of bench/compare.py: inputs, answers by NumPy, and when an answer is right.

A problem has the kernel's name, its `inputs`, which nobody changes, its sizes as attributes, and
`work`, the number of useful inner operations (`unit`), for rates. Sizes and seeds are fixed.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from peers_column import HOTSPOT

Arrays = dict[str, np.ndarray]
f32 = np.float32

FULL: dict[str, dict[str, int]] = {
    "saxpy": {"n": 1 << 24},
    "mandelbrot": {"w": 1024, "h": 1024, "maxit": 256},
    "hotspot": {"n": 512, "steps": 100},
    "kmeans": {"n": 100_000, "d": 20, "k": 16},
    "bitonic": {"n": 1 << 20},
    "bfs": {"n": 1 << 18, "edges": 1 << 21},
    "collatz": {"n": 1 << 20},
}
SMALL: dict[str, dict[str, int]] = {
    "saxpy": {"n": 1 << 12},
    "mandelbrot": {"w": 64, "h": 32, "maxit": 64},
    "hotspot": {"n": 40, "steps": 3},
    "kmeans": {"n": 1000, "d": 8, "k": 5},
    "bitonic": {"n": 1 << 8},
    "bfs": {"n": 1 << 9, "edges": 1 << 12},
    "collatz": {"n": 1 << 9},
}
UNITS = {
    "saxpy": "element",
    "mandelbrot": "iteration",
    "hotspot": "cell",
    "kmeans": "square",
    "bitonic": "key",
    "bfs": "edge",
    "collatz": "step",
}


def make(kernel: str, *, small: bool = False) -> Any:
    """The problem with its inputs, and with NumPy's answer as `expected`."""
    p = SimpleNamespace(kernel=kernel, unit=UNITS[kernel], **(SMALL if small else FULL)[kernel])
    p.inputs = _inputs(p, np.random.default_rng(7))
    p.expected = NUMPY[kernel](p)
    p.work = _work(p)
    return p


def _inputs(p: Any, rng: np.random.Generator) -> Arrays:
    match p.kernel:
        case "saxpy":
            p.a = 0.75
            return {"x": rng.random(p.n, f32), "y": rng.random(p.n, f32)}
        case "mandelbrot":
            p.x0, p.y0, p.dx, p.dy = -2.0, -1.5, 3.0 / p.w, 3.0 / p.h
            return {}
        case "hotspot":
            cells = p.n * p.n
            return {"temp": rng.uniform(70, 90, cells).astype(f32), "power": rng.random(cells, f32)}
        case "kmeans":
            return {"feat": rng.random((p.d, p.n), f32), "cent": rng.random((p.k, p.d), f32)}
        case "bitonic":
            return {"keys": rng.integers(-(1 << 31), 1 << 31, p.n, np.int32)}
        case "bfs":
            degree = np.bincount(rng.integers(0, p.n, p.edges), minlength=p.n)
            p.src = int(degree.argmax())
            row = np.append(0, degree.cumsum()).astype(np.int32)
            return {"row": row, "col": rng.integers(0, p.n, p.edges, np.int32)}
    return {}


def _work(p: Any) -> int:
    match p.kernel:
        case "mandelbrot":
            return int(p.expected["count"].sum(dtype=np.int64))
        case "hotspot":
            return p.n * p.n * p.steps
        case "kmeans":
            return p.n * p.d * p.k
        case "bfs":
            return int(np.diff(p.inputs["row"])[p.expected["level"] >= 0].sum())
        case "collatz":
            return int(p.expected["steps"].sum(dtype=np.int64))
    return p.n


# --- the answers, as one writes them with NumPy


def saxpy(p: Any) -> Arrays:
    return {"y": f32(p.a) * p.inputs["x"] + p.inputs["y"]}


def mandelbrot(p: Any) -> Arrays:
    xs = f32(p.x0) + f32(p.dx) * np.arange(p.w, dtype=f32)
    ys = f32(p.y0) + f32(p.dy) * np.arange(p.h, dtype=f32)
    points = np.empty((4, p.h, p.w), f32)
    points[0::2], points[1::2] = xs, ys[:, None]
    cr, ci, zr, zi = points.reshape(4, -1)
    count = np.zeros(p.w * p.h, np.int32)
    inside = np.arange(count.size)
    for _ in range(p.maxit):
        stays = zr * zr + zi * zi <= 4
        if not stays.all():
            inside = inside[stays]
            cr, ci, zr, zi = (v[stays] for v in (cr, ci, zr, zi))
        count[inside] += 1
        zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
    return {"count": count}


def hotspot(p: Any) -> Arrays:
    step, rx, ry, rz, ambient = map(f32, HOTSPOT)
    t = p.inputs["temp"].reshape(p.n, p.n)
    power = p.inputs["power"].reshape(p.n, p.n)
    for _ in range(p.steps):
        around = np.pad(t, 1, mode="edge")
        vertical = around[:-2, 1:-1] + around[2:, 1:-1] - 2 * t
        horizontal = around[1:-1, :-2] + around[1:-1, 2:] - 2 * t
        t = t + step * (power + vertical * ry + horizontal * rx + (ambient - t) * rz)
    return {"temp": t.ravel()}


def distances(p: Any, dtype: type = np.float32) -> np.ndarray:
    """Squared distance of every point (second index) from every centroid (first index)."""
    feat, cent = p.inputs["feat"].astype(dtype), p.inputs["cent"].astype(dtype)
    return np.stack([((feat - c[:, None]) ** 2).sum(axis=0) for c in cent])


def kmeans(p: Any) -> Arrays:
    return {"label": distances(p).argmin(axis=0).astype(np.int32)}


def bitonic(p: Any) -> Arrays:
    return {"keys": np.sort(p.inputs["keys"])}


def bfs(p: Any) -> Arrays:
    row, col = p.inputs["row"], p.inputs["col"]
    tails = np.repeat(np.arange(p.n), np.diff(row))
    level = np.full(p.n, -1, np.int32)
    level[p.src] = current = 0
    while (found := col[level[tails] == current]).size:
        current += 1
        level[found[level[found] < 0]] = current
    return {"level": level}


def collatz(p: Any) -> Arrays:
    steps = np.zeros(p.n, np.int32)
    going = np.arange(1, p.n)
    values = going + 1
    while going.size:
        steps[going] += 1
        values = np.where(values & 1, 3 * values + 1, values >> 1)
        more = values != 1
        going, values = going[more], values[more]
    return {"steps": steps}


NUMPY: dict[str, Callable[[Any], Arrays]] = {
    function.__name__: function
    for function in (saxpy, mandelbrot, hotspot, kmeans, bitonic, bfs, collatz)
}


# --- whether an answer is right


def complaint(p: Any, answer: Arrays) -> str:
    """What is wrong with an answer; empty if it is right.

    Columns may contract to fused multiply-adds, so float results differ in their last bits. Where
    such a bit decides (an orbit along the edge of the set, a point between two centroids), another
    decision is right too, as far as it can be told from a wrong one.
    """
    ((name, expected),) = p.expected.items()
    got = answer[name].ravel()
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"{name} is {got.dtype} {got.shape}, not {expected.dtype} {expected.shape}"
    wrong = got != expected
    match p.kernel:
        case "saxpy" | "hotspot":
            wrong = ~np.isclose(got, expected, rtol=2e-5, atol=1e-5)
        case "mandelbrot":
            if wrong.mean() <= 0.01:
                return ""
        case "kmeans":
            (moved,) = np.nonzero(wrong)
            if moved.size and got.min() >= 0 and got.max() < p.k:
                exact = distances(p, np.float64)
                wrong = ~np.isclose(exact[got, range(p.n)], exact[expected, range(p.n)], rtol=1e-5)
    return f"{name}: {np.count_nonzero(wrong)} of {got.size} are wrong" if wrong.any() else ""
