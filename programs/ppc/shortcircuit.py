"""shortcircuit: bits of a noisy signal, a loop around an `if (a || b)` with an else."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload

GROUP = 256
SYMBOLS = 32
NOISE = 0.4
"""The noise's standard deviation, as a share of the signal."""


def make(rng: np.random.Generator, *, channels: int) -> Data:
    """Random bits, sent as plus or minus the strength of each channel, and what noise adds."""
    sent = rng.choice([-1.0, 1.0], (SYMBOLS, channels))
    strength = rng.uniform(3_000, 6_000, channels)
    received = (sent + NOISE * rng.standard_normal(sent.shape)) * strength
    return {
        "channels": channels,
        "level": 4_500,
        "samples": np.clip(received, -32_768, 32_767).astype(np.int16),
        "bits": np.zeros(channels, np.uint32),
        "erased": np.zeros(channels, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch, a work-item a channel."""
    group = min(GROUP, launcher.core_contexts)
    kernel = launcher("shortcircuit", groups=-(-data["channels"] // group), group_size=group)
    kernel(*data.values())


def reference(data: Data) -> dict[str, np.ndarray]:
    """Symbol by symbol, all channels at once; bits are packed at the end."""
    level = np.full(data["channels"], data["level"], np.int32)
    clear = np.empty(data["samples"].shape, bool)
    for is_clear, v in zip(clear, data["samples"].astype(np.int32), strict=True):
        is_clear[:] = np.abs(v) > level // 4
        level = np.where(is_clear, level + (np.abs(v) - level) // 8, level - level // 32)
    return {"bits": _packed(clear & (data["samples"] > 0)), "erased": _packed(~clear)}


def _packed(flags: np.ndarray) -> np.ndarray:
    """A word for each column, whose lowest bit is the first row."""
    octets = np.packbits(flags, axis=0, bitorder="little")
    return np.ascontiguousarray(octets.T).view("<u4").ravel()


WORKLOAD = Workload(
    title="shortcircuit: bits of a noisy signal, by a condition a || b with an else",
    source="PPC section IV, unstructured control flow; the task is ours",
    sizes={
        "tiny": {"channels": 50},
        "small": {"channels": 50_000},
        "paper": {"channels": 500_000},
    },
    make=make,
    launch=launch,
    reference=reference,
)
