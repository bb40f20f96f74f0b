"""viterbi: decoding of a convolutional code, a frame a work-item, costs in private memory."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload, persistent

STATES, MEMORY = 16, 4
GENERATORS = (0b10011, 0b11011)
"""1 + D^3 + D^4 and 1 + D + D^3 + D^4, the newest bit on top (GSM 05.03)."""


def make(rng: np.random.Generator, *, frames: int, bits: int) -> Data:
    """Random messages with four zeros after them, sent over a noisy channel."""
    message = np.zeros((bits + MEMORY, frames), np.uint8)
    message[:bits] = rng.integers(0, 2, (bits, frames), np.uint8)
    sent = encode(message).astype(np.float32)
    levels = 3.5 + 8 * sent + 4 * rng.standard_normal(sent.shape, np.float32)
    return received_as(np.clip(np.rint(levels), 0, 15).astype(np.uint8))


def encode(message: np.ndarray) -> np.ndarray:
    """Both bits that are sent for each bit of (steps, frames): (2, steps, frames)."""
    state = np.zeros(message.shape[1], np.uint8)
    sent = np.empty((2, *message.shape), np.uint8)
    for t, bit in enumerate(message):
        window = bit << MEMORY | state
        for g, taps in enumerate(GENERATORS):
            sent[g, t] = np.bitwise_count(window & np.uint8(taps)) & 1
        state = window >> 1
    return sent


def received_as(levels: np.ndarray) -> Data:
    """The data of a run in which these levels, 0 to 15, of shape (2, steps, frames), arrive."""
    _, steps, frames = levels.shape
    return {
        "frames": frames,
        "steps": steps,
        "received": levels[0] | levels[1] << 4,
        "kept": np.zeros((steps, frames), np.uint16),
        "message": np.full((-(-steps // 32), frames), 0xFFFFFFFF, np.uint32),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch; the work-items share the frames among them."""
    persistent(launcher, "viterbi", data["frames"])(*data.values())


def reference(data: Data) -> dict[str, np.ndarray]:
    """All frames and states at once, with the costs of all 32 transitions by the polynomials."""
    steps, frames = data["kept"].shape
    old, bit = np.meshgrid(np.arange(STATES), (0, 1), indexing="ij")
    window = bit << MEMORY | old
    new = window >> 1
    sent = [np.bitwise_count(window & taps) & 1 for taps in GENERATORS]
    first, second = (np.argsort(new, axis=None, kind="stable").reshape(STATES, 2)).T
    cost = np.full((STATES, frames), 1 << 16)
    cost[0] = 0
    kept = np.zeros((steps, STATES, frames), bool)
    for t, byte in enumerate(data["received"].astype(np.int64)):
        levels = byte & 15, byte >> 4
        apart = sum(abs(15 * s[..., None] - r) for s, r in zip(sent, levels, strict=True))
        ways = (cost[:, None] + apart).reshape(2 * STATES, frames)
        kept[t] = ways[second] < ways[first]
        cost = np.minimum(ways[first], ways[second])
    weights = 1 << np.arange(STATES)[:, None]
    message = np.zeros((-(-steps // 32) * 32, frames), np.uint64)
    state = np.zeros(frames, np.int64)
    for t in reversed(range(steps)):
        message[t] = state // 8
        state = state * 2 % STATES + kept[t, state, np.arange(frames)]
    words = message.reshape(-1, 32, frames) << np.arange(32, dtype=np.uint64)[:, None]
    return {
        "kept": (kept * weights).sum(axis=1).astype(np.uint16),
        "message": words.sum(axis=1).astype(np.uint32),
    }


WORKLOAD = Workload(
    title="viterbi: soft decoding of the convolutional code of GSM speech",
    source="LWM Table 2; A. J. Viterbi (1967); GSM 05.03",
    sizes={
        "tiny": {"frames": 14, "bits": 15},
        "small": {"frames": 1_024, "bits": 36},
        "paper": {"frames": 5_120, "bits": 185},
    },
    make=make,
    launch=launch,
    reference=reference,
)
