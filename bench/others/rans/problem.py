"""Asymmetric numeral systems (rANS), decoded: 12-bit frequencies, bytes; a stream a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 11, "length": 256}
SMALL = {"n": 12, "length": 20}
LOW = 1 << 23


def make(rng, n, length):
    frequency = np.maximum(1, (np.exp(-np.arange(64) / 8) * 400).astype(np.int64))
    frequency[0] += 4096 - frequency.sum()
    first = np.cumsum(frequency) - frequency
    symbols = np.repeat(np.arange(64), frequency)
    text = symbols[rng.integers(0, 4096, (n, length))]
    state = np.full(n, LOW, np.int64)
    reverse = np.zeros((n, 2 * length + 4), np.uint8)
    count = np.zeros(n, np.int64)
    rows = np.arange(n)
    for k in range(length - 1, -1, -1):
        f, c = frequency[text[:, k]], first[text[:, k]]
        while (full := state >= (LOW >> 12 << 8) * f).any():
            reverse[rows[full], count[full]] = state[full] & 255
            state[full] >>= 8
            count[full] += 1
        state = state // f * 4096 + state % f + c
    start = np.zeros(n + 1, np.uint32)
    start[1:] = np.cumsum(count)
    coded = np.concatenate([reverse[i, : count[i]][::-1] for i in range(n)])
    arrays = {
        "start": start[:-1].copy(),
        "state": state.astype(np.uint32),
        "coded": coded,
        "slot": (
            symbols | frequency[symbols] << 8 | (np.arange(4096) - first[symbols]) << 20
        ).astype(np.uint32),
        "text": np.zeros((length, n), np.uint8),
    }
    return Problem(
        arrays, [Launch("rans", (np.uint32(n), np.uint32(length), *arrays), (n,))], ("text",)
    )


def answer(problem):
    a = problem.arrays
    length, n = a["text"].shape
    state, place, text = a["state"].copy(), a["start"].copy(), np.zeros_like(a["text"])
    coded = np.append(a["coded"], np.uint8(0))
    for k in range(length):
        entry = a["slot"][state & np.uint32(4095)]
        text[k] = entry & np.uint32(255)
        state = (entry >> np.uint32(8) & np.uint32(4095)) * (state >> np.uint32(12)) + (
            entry >> np.uint32(20)
        )
        while (less := state < LOW).any():
            state = np.where(less, state << np.uint32(8) | coded[np.where(less, place, 0)], state)
            place = place + less.astype(np.uint32)
    return {"text": text}
