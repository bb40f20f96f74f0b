"""histogram: the characters of a text, counted by atomics in group memory."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload, persistent

BINS = 128
LETTERS = {
    " ": 180, "e": 102, "t": 75, "a": 65, "o": 62, "n": 57, "i": 57, "s": 53, "r": 50, "h": 50,
    "l": 33, "d": 33, "u": 23, "c": 22, "m": 20, "f": 20, "w": 17, "g": 16, "p": 15, "y": 14,
    "b": 13, "v": 8, "k": 6, ",": 11, ".": 10, "\n": 15, "T": 3, "A": 3, "I": 3, "S": 3,
    "x": 1, "j": 1, "q": 1, "z": 1, "'": 2, '"': 2, "-": 2, "0": 1, "1": 1, "2": 1,
}  # fmt: skip
"""About how often characters occur in a thousand of English prose."""


def make(rng: np.random.Generator, *, n: int) -> Data:
    """Characters as frequent as in English, without its order."""
    urn = np.frombuffer("".join(c * k for c, k in LETTERS.items()).encode("ascii"), np.uint8)
    return {
        "n": n,
        "text": urn[rng.integers(0, len(urn), n, np.uint16)],
        "bins": np.zeros(BINS, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch; the work-items share the words of four characters among them."""
    persistent(launcher, "histogram", -(-data["n"] // 4))(data["n"], data["text"], data["bins"])


def reference(data: Data) -> dict[str, np.ndarray]:
    """NumPy's counts."""
    return {"bins": np.bincount(data["text"], minlength=BINS).astype(np.uint32)}


def picture(data: Data) -> np.ndarray:
    """A bar of two columns a character, as high as it is frequent, dark on white."""
    height = 100
    bars = np.repeat(data["bins"] / max(1, data["bins"].max()) * height, 2)
    rows = np.arange(height)[::-1, None]
    return np.where(rows < bars, 40, 255).astype(np.uint8)


WORKLOAD = Workload(
    title="histogram: how often each ASCII character occurs in a text",
    source="LWM Table 2; V. Podlozhnyuk, Histogram calculation in CUDA (2007)",
    sizes={"tiny": {"n": 3_001}, "small": {"n": 1_000_000}, "paper": {"n": 28_000_000}},
    make=make,
    launch=launch,
    reference=reference,
    picture=picture,
)
