"""decrypt: AES-128, a block a work-item, with the inverse S-box in two cache lines."""

from __future__ import annotations

import numpy as np

from ..workload import Data, Launcher, Workload, persistent

ROUNDS = 10


def make(rng: np.random.Generator, *, blocks: int) -> Data:
    """A random key, and bytes that are as random as a cipher's."""
    return encrypted(
        rng.integers(0, 256, 16, np.uint8), rng.integers(0, 256, (blocks, 16), np.uint8)
    )


def encrypted(key: np.ndarray, cipher: np.ndarray) -> Data:
    """The data of a run that decrypts (blocks, 16) bytes under a key of 16."""
    return {
        "blocks": len(cipher),
        "round_keys": round_keys(key),
        "cipher": cipher,
        "plain": np.zeros_like(cipher),
    }


def launch(launcher: Launcher, data: Data) -> None:
    """One launch; the work-items share the blocks among them."""
    persistent(launcher, "decrypt", data["blocks"])(*data.values())


def times(a: np.ndarray, b: int) -> np.ndarray:
    """Products of bytes in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS-197, 4.2)."""
    total = np.zeros_like(a)
    while b:
        if b & 1:
            total = total ^ a
        a = a << 1 ^ 0x1B * (a >> 7)
        b >>= 1
    return total


def s_box() -> np.ndarray:
    """Inverses in GF(2^8), then the affine map (FIPS-197, 5.1.1)."""
    every = np.arange(256, dtype=np.uint8)
    inverse = np.zeros(256, np.uint8)
    for a in range(1, 256):
        inverse[a] = np.flatnonzero(times(every, a) == 1)[0]
    rotated = (inverse << n | inverse >> (8 - n) for n in range(1, 5))
    return inverse ^ np.bitwise_xor.reduce(list(rotated)) ^ 0x63


def round_keys(key: np.ndarray) -> np.ndarray:
    """The eleven round keys of 16 bytes (FIPS-197, 5.2)."""
    box, words, constant = s_box(), list(key.reshape(4, 4)), np.array([1, 0, 0, 0], np.uint8)
    for i in range(4, 4 * (ROUNDS + 1)):
        word = words[-1]
        if i % 4 == 0:
            word = box[np.roll(word, -1)] ^ constant
            constant = times(constant, 2)
        words.append(words[-4] ^ word)
    return np.array(words).reshape(ROUNDS + 1, 16)


def reference(data: Data) -> dict[str, np.ndarray]:
    """The inverse cipher of FIPS-197, 5.3, on all blocks, byte by byte."""
    keys = data["round_keys"]
    inverse_box = np.argsort(s_box()).astype(np.uint8)
    every = np.arange(256, dtype=np.uint8)
    products = {factor: times(every, factor) for factor in (14, 11, 13, 9)}
    row = np.arange(16) % 4
    shifted = (np.arange(16) - 4 * row) % 16
    state = data["cipher"] ^ keys[ROUNDS]
    for number in reversed(range(ROUNDS)):
        state = inverse_box[state[:, shifted]] ^ keys[number]
        if number:
            columns = state.reshape(-1, 4, 4)
            state = np.zeros_like(columns)
            for turn, product in enumerate(products.values()):
                state ^= product[np.roll(columns, -turn, axis=2)]
            state = state.reshape(-1, 16)
    return {"plain": state}


WORKLOAD = Workload(
    title="decrypt: AES-128 in electronic codebook mode",
    source="LWM Table 2; FIPS-197",
    sizes={"tiny": {"blocks": 20}, "small": {"blocks": 2_048}, "paper": {"blocks": 65_536}},
    make=make,
    launch=launch,
    reference=reference,
)
