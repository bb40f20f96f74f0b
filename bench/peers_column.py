"""simtlab as a column of a harness that times seven kernels under several systems.

The harness hands over problems: objects with the kernel's name, its `inputs` as NumPy arrays, and
its sizes as attributes. `make(problem)` answers with a job, whose `run` is what is timed: launches,
with all data in device memory. `python bench/compare.py` uses the same jobs.

    python run.py --column simtlab=<this repository>/bench/peers_column.py

Kernels are those of programs/ where the problem is the same, and else in bench/peers/. The
environment variable SIMTLAB_ENGINE names the engine, where `make` is not told one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import simtlab
from simtlab.emu.engine import DEFAULT_ENGINE, check_engine
from simtlab.emu.module import Launch
from simtlab.programs import find

# Read by the harness without importing this file. Compile times are cold ones in all columns: where
# no folder can be, no compiled kernel is kept.
ENV = {"SIMTLAB_CACHE": "/dev/null"}

GROUP = 256
HOTSPOT = (0.1, 1.0, 1.0, 0.1, 80.0)
"""Step, rx, ry, rz and ambient temperature: part of the problem."""

Arrays = dict[str, np.ndarray]
Rows = Callable[..., Launch]


class Job(NamedTuple):
    """A kernel with its data in place: `reset` before each `run`, `result` whenever wanted.

    No dataclass: those need their module to be importable, and the harness loads a bare file.
    """

    run: Callable[[], object]
    result: Callable[[], Arrays]
    reset: Callable[[], object] = lambda: None
    build_s: float = 0.0
    """Seconds of assembling; native code is made in the first run."""


def engine_name() -> str:
    """The engine of this process."""
    return os.environ.get("SIMTLAB_ENGINE") or DEFAULT_ENGINE


def probe() -> str:
    """What the harness writes beside its table."""
    check_engine(engine_name())
    return f"simtlab {simtlab.__version__}, engine {engine_name()}"


def make(problem: Any, engine: str | None = None) -> Job:
    """Assemble a problem's kernel and put its data in place."""
    prepare = PREPARE.get(problem.kernel)
    if prepare is None:
        raise NotImplementedError(problem.kernel)
    start = time.perf_counter()
    path = OWN.get(problem.kernel) or find(problem.kernel).path
    (function,) = simtlab.assemble(path)
    seconds = time.perf_counter() - start

    def rows(width: int, height: int = 1) -> Launch:
        """A launch of `width` x `height` elements, in whole workgroups that lie along the rows."""
        group = min(GROUP, width)
        groups = (-(-width // group), height)
        return function.launch(groups=groups, group_size=group, engine=engine or engine_name())

    return prepare(problem, rows)._replace(build_s=seconds)


def saxpy(p: Any, rows: Rows) -> Job:
    device = simtlab.Device()
    launch = rows(p.n)
    x, result = device.map(p.inputs["x"]), p.inputs["y"].copy()
    y = device.map(result)
    return Job(
        run=lambda: launch(p.a, p.n, x, y),
        result=lambda: {"y": result},
        reset=lambda: np.copyto(result, p.inputs["y"]),
    )


def mandelbrot(p: Any, rows: Rows) -> Job:
    launch = rows(p.w, p.h)
    result = np.zeros(p.w * p.h, np.uint32)
    count = simtlab.Device().map(result)
    return Job(
        run=lambda: launch(p.w, p.h, p.maxit, p.x0, p.y0, p.dx, p.dy, count),
        result=lambda: {"count": result.view(np.int32)},
    )


def hotspot(p: Any, rows: Rows) -> Job:
    device = simtlab.Device()
    launch = rows(p.n, p.n)
    power = device.map(p.inputs["power"])
    hosts = [p.inputs["temp"].copy() for _ in "ab"]
    first, second = (device.map(host) for host in hosts)

    def run() -> None:
        now, after = first, second
        for _ in range(p.steps):
            launch(p.n, now, power, after, *HOTSPOT)
            now, after = after, now

    return Job(
        run=run,
        result=lambda: {"temp": hosts[p.steps % 2]},
        reset=lambda: np.copyto(hosts[0], p.inputs["temp"]),
    )


def kmeans(p: Any, rows: Rows) -> Job:
    device = simtlab.Device()
    launch = rows(p.n)
    feat, cent = device.map(p.inputs["feat"]), device.map(p.inputs["cent"])
    result = np.zeros(p.n, np.int32)
    label = device.map(result)
    return Job(
        run=lambda: launch(p.n, p.d, p.k, feat, cent, label),
        result=lambda: {"label": result},
    )


def bitonic(p: Any, rows: Rows) -> Job:
    pairs = p.n // 2
    launch = rows(pairs)
    result = p.inputs["keys"].copy()
    keys = simtlab.Device().map(result)

    def run() -> None:
        length = 2
        while length <= p.n:
            apart = length // 2
            while apart:
                launch(pairs, apart, length, keys)
                apart //= 2
            length *= 2

    return Job(
        run=run,
        result=lambda: {"keys": result},
        reset=lambda: np.copyto(result, p.inputs["keys"]),
    )


def bfs(p: Any, rows: Rows) -> Job:
    device = simtlab.Device()
    launch = rows(p.n)
    row, col = (device.map(p.inputs[name].view(np.uint32)) for name in ("row", "col"))
    start = np.full(p.n, -1, np.int32)
    start[p.src] = 0
    result, flag = start.copy(), np.zeros(1, np.uint32)
    level, changed = device.map(result), device.map(flag)

    def run() -> None:
        # All columns set the levels back within the time.
        np.copyto(result, start)
        current = 0
        flag[0] = 1
        while flag[0]:
            flag[0] = 0
            launch(p.n, row, col, level, current, changed)
            current += 1

    return Job(run=run, result=lambda: {"level": result})


def collatz(p: Any, rows: Rows) -> Job:
    launch = rows(p.n)
    result = np.zeros(p.n, np.uint32)
    steps = simtlab.Device().map(result)
    return Job(run=lambda: launch(p.n, steps), result=lambda: {"steps": result.view(np.int32)})


PREPARE: dict[str, Callable[[Any, Rows], Job]] = {
    prepare.__name__: prepare
    for prepare in (saxpy, mandelbrot, hotspot, kmeans, bitonic, bfs, collatz)
}

OWN = {"hotspot": Path(__file__).with_name("peers") / "hotspot.sasm"}
"""dws/hotspot goes over its cells in a loop; the problem's launches are a work-item a cell."""
