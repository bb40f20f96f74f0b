"""Accounts, each with a lock, that a workgroup enters into."""

from __future__ import annotations

import numpy as np

GROUP = 40


def make(rng: np.random.Generator, *, groups: int) -> dict[str, object]:
    """Free locks and accounts with some numbers."""
    return {
        "workitems": groups * GROUP,
        "locks": np.zeros(groups, np.uint32),
        "account": rng.integers(0, 1000, groups, np.uint32),
        "entries": np.zeros(groups, np.uint32),
    }


def reference(data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Each work-item has entered once, and the locks are free."""
    account = data["account"].copy()
    for _ in range(GROUP):
        account = account * np.uint32(3) + np.uint32(1)
    return {
        "entries": data["entries"] + np.uint32(GROUP),
        "account": account,
        "locks": np.zeros_like(data["locks"]),
    }


def explain(data: dict[str, np.ndarray], array: str, index: tuple[int, ...]) -> str:
    """What each array must be in the end."""
    return {
        "entries": f"each of the {GROUP} work-items of the workgroup enters once",
        "account": f"{array} began with {data[array][index]}, and {GROUP} entries change it",
        "locks": "a lock must be free in the end",
    }[array]
