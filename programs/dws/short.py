"""short: dynamic programming on the previous row, with branches that depend on the scores."""

from __future__ import annotations

import numpy as np

from ..mappings import OF_LINES
from ..workload import Data, Launcher, Workload, persistent


def make(rng: np.random.Generator, *, steps: int, choices: int) -> Data:
    """Random gains, and random scores to start with: as good as no neighbours are equal."""
    return {
        "steps": steps,
        "choices": choices,
        "gain": rng.integers(0, 1_000, (steps, choices), np.int32),
        "score": rng.integers(0, 1_000, choices, np.int32),
        "next": np.zeros(choices, np.int32),
        "moves": np.zeros((steps, choices), np.int8),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """A launch a step; `score` and `next` change places after each."""
    kernel = persistent(launcher, "short", data["choices"])
    for step in range(data["steps"]):
        kernel(data["choices"], step, data["gain"], data["score"], data["next"], data["moves"])
        data["score"], data["next"] = data["next"], data["score"]


def reference(data: Data) -> dict[str, np.ndarray]:
    """A row at a time: the first largest of three shifted copies."""
    score, moves = data["score"], np.zeros_like(data["moves"])
    for gain, move in zip(data["gain"], moves, strict=True):
        # What lies beyond the ends is below every score.
        around = np.pad(score, 1, constant_values=np.iinfo(np.int32).min)
        reached_from = np.stack((around[1:-1], around[:-2], around[2:]))
        move[:] = np.array([0, -1, 1])[reached_from.argmax(axis=0)]
        score = gain + reached_from.max(axis=0)
    return {"score": score, "moves": moves}


WORKLOAD = Workload(
    title="short: winning path through a game, dynamic programming on the previous row",
    source="DWS Table 2, Short",
    sizes={
        "tiny": {"steps": 3, "choices": 200},
        "small": {"steps": 6, "choices": 15_000},
        "paper": {"steps": 6, "choices": 150_000},
    },
    make=make,
    launch=launch,
    reference=reference,
    mappings=OF_LINES,
    data="s32",
)
