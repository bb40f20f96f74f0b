"""What simtlab is compared with: NumPy, numba's compiled loops, and plain C.

Each is a function from a problem (bench/seven.py) to a `Job`, as in bench/peers_column.py.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from peers_column import HOTSPOT, Job
from seven import NUMPY, f32

GCC = ("gcc", "-O3", "-march=native", "-shared", "-fPIC")


def numpy_job(p: Any) -> Job:
    """Array code."""
    answers = [p.expected]

    def run() -> None:
        answers[0] = NUMPY[p.kernel](p)

    return Job(run=run, result=lambda: answers[0])


class Places:
    """Room for the outputs of a problem, and the call of a function that fills it."""

    def __init__(self, p: Any) -> None:
        self.p = p
        ((self.name, expected),) = p.expected.items()
        self.out = np.zeros_like(expected)
        self.other = np.zeros_like(expected) if p.kernel == "hotspot" else self.out

    def job(self, run: Callable[[], object]) -> Job:
        return Job(run=run, result=self.result, reset=self.reset)

    def reset(self) -> None:
        """Kernels that work in place start from the input of the same name."""
        if self.name in self.p.inputs:
            np.copyto(self.out, self.p.inputs[self.name])

    def result(self) -> dict[str, np.ndarray]:
        odd = self.p.kernel == "hotspot" and self.p.steps % 2
        return {self.name: self.other if odd else self.out}


# --- numba

compiled = njit(error_model="numpy", fastmath={"contract"})


@compiled
def saxpy(a, x, y):
    for i in range(x.size):
        y[i] += a * x[i]


@compiled
def mandelbrot(w, h, limit, x0, y0, dx, dy, count):
    four, two = f32(4), f32(2)
    for y in range(h):
        for x in range(w):
            cr, ci = x0 + dx * f32(x), y0 + dy * f32(y)
            zr, zi = cr, ci
            done = 0
            while done < limit and zr * zr + zi * zi <= four:
                zr, zi = zr * zr - zi * zi + cr, two * zr * zi + ci
                done += 1
            count[y * w + x] = done


@compiled
def hotspot(steps, temp, power, other, step, rx, ry, rz, ambient):
    n = temp.shape[0]
    two = f32(2)
    for _ in range(steps):
        for y in range(n):
            row, north, south = temp[y], temp[max(y - 1, 0)], temp[min(y + 1, n - 1)]
            for x in range(n):
                t, west, east = row[x], row[max(x - 1, 0)], row[min(x + 1, n - 1)]
                other[y, x] = t + step * (
                    power[y, x]
                    + (north[x] + south[x] - two * t) * ry
                    + (west + east - two * t) * rx
                    + (ambient - t) * rz
                )
        temp, other = other, temp


@compiled
def kmeans(feat, cent, label):
    for i in range(label.size):
        least = f32(np.inf)
        for c in range(cent.shape[0]):
            total = f32(0)
            for j in range(cent.shape[1]):
                apart = feat[j, i] - cent[c, j]
                total += apart * apart
            if total < least:
                least = total
                label[i] = c


@compiled
def bitonic(keys):
    length = 2
    while length <= keys.size:
        apart = length // 2
        while apart:
            for pair in range(keys.size // 2):
                low = 2 * pair - (pair & (apart - 1))
                x, y = keys[low], keys[low + apart]
                if (x > y) == ((low & length) == 0):
                    keys[low], keys[low + apart] = y, x
            apart //= 2
        length *= 2


@compiled
def bfs(row, col, level, source):
    level[:] = -1
    level[source] = 0
    current, found = 0, True
    while found:
        found = False
        for v in range(level.size):
            if level[v] == current:
                for e in range(row[v], row[v + 1]):
                    if level[col[e]] < 0:
                        level[col[e]] = current + 1
                        found = True
        current += 1


@compiled
def collatz(steps):
    for i in range(steps.size):
        v, taken = i + 1, 0
        while v != 1:
            v = 3 * v + 1 if v & 1 else v >> 1
            taken += 1
        steps[i] = taken


def numba_job(p: Any) -> Job:
    """Loops over the elements, compiled by numba for one thread."""
    places, given = Places(p), p.inputs
    out = places.out

    def square(array: np.ndarray) -> np.ndarray:
        return array.reshape(p.n, p.n)

    match p.kernel:
        case "saxpy":
            return places.job(lambda: saxpy(f32(p.a), given["x"], out))
        case "mandelbrot":
            x0, y0, dx, dy = map(f32, (p.x0, p.y0, p.dx, p.dy))
            return places.job(lambda: mandelbrot(p.w, p.h, p.maxit, x0, y0, dx, dy, out))
        case "hotspot":
            arrays = [square(a) for a in (out, given["power"], places.other)]
            constants = [f32(v) for v in HOTSPOT]
            return places.job(lambda: hotspot(p.steps, *arrays, *constants))
        case "kmeans":
            return places.job(lambda: kmeans(given["feat"], given["cent"], out))
        case "bitonic":
            return places.job(lambda: bitonic(out))
        case "bfs":
            return places.job(lambda: bfs(given["row"], given["col"], out, p.src))
        case "collatz":
            return places.job(lambda: collatz(out))
    raise NotImplementedError(p.kernel)


# --- C


def compile_c(folder: str) -> ctypes.CDLL:
    """bench/plain.c as a library in `folder`. Raises OSError or CalledProcessError."""
    library = Path(folder) / "plain.so"
    source = Path(__file__).with_name("plain.c")
    subprocess.run([*GCC, "-o", library, source], check=True, capture_output=True, text=True)
    return ctypes.CDLL(str(library))


def c_job(p: Any, library: ctypes.CDLL) -> Job:
    """The functions of bench/plain.c."""
    places, given = Places(p), p.inputs

    def i32(*values: int) -> list[Any]:
        return [ctypes.c_int32(v) for v in values]

    def real(*values: float) -> list[Any]:
        return [ctypes.c_float(v) for v in values]

    def at(*arrays: np.ndarray) -> list[Any]:
        return [ctypes.c_void_p(array.ctypes.data) for array in arrays]

    long, out = ctypes.c_int64, places.out
    arguments = {
        "saxpy": lambda: [long(p.n), *real(p.a), *at(given["x"], out)],
        "mandelbrot": lambda: [*i32(p.w, p.h, p.maxit), *real(p.x0, p.y0, p.dx, p.dy), *at(out)],
        "hotspot": lambda: [
            *i32(p.n, p.steps),
            *at(out, given["power"], places.other),
            *real(*HOTSPOT),
        ],
        "kmeans": lambda: [*i32(p.n, p.d, p.k), *at(given["feat"], given["cent"], out)],
        "bitonic": lambda: [long(p.n), *at(out)],
        "bfs": lambda: [*i32(p.n), *at(given["row"], given["col"], out), *i32(p.src)],
        "collatz": lambda: [long(p.n), *at(out)],
    }[p.kernel]()
    function = library[p.kernel]
    return places.job(lambda: function(*arguments))
