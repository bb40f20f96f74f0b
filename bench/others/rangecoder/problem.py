"""Bits from a binary range coder whose chances adapt to the four bits before, as in LZMA."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 400, "length": 256}
SMALL = {"n": 30, "length": 40}


def coded(bits):
    """The bytes of a range coder; a carry goes back into those that are written."""
    low, scope, chance, context, out = 0, 0xFFFFFFFF, [2048] * 16, 0, bytearray()
    for bit in bits:
        p = chance[context]
        bound = (scope >> 12) * p
        if bit:
            low, scope = low + bound, scope - bound
            chance[context] = p - (p >> 5)
        else:
            scope = bound
            chance[context] = p + ((4096 - p) >> 5)
        if low >> 32:
            low &= 0xFFFFFFFF
            place = len(out) - 1
            while out[place] == 255:
                out[place] = 0
                place -= 1
            out[place] += 1
        while scope < 1 << 24:
            out.append(low >> 24)
            low, scope = low << 8 & 0xFFFFFFFF, scope << 8
        context = (context << 1 | bit) & 15
    return bytes(out) + low.to_bytes(4, "big") + bytes(4)


def make(rng, n, length):
    texts = [coded(row) for row in given(n, length).tolist()]
    first = np.append(0, np.cumsum([len(text) for text in texts]))[:-1]
    arrays = {
        "first": first.astype(np.uint32),
        "coded": np.frombuffer(b"".join(texts), np.uint8).copy(),
        "bits": np.zeros((n, length), np.uint8),
    }
    launch = Launch("rangecoder", (np.uint32(n), np.uint32(length), *arrays), (n,), (64,))
    return Problem(arrays, [launch], ("bits",))


def given(n, length):
    rng = np.random.default_rng(n)
    share = rng.choice([0.05, 0.3, 0.9], (n, length // 8 + 1)).repeat(8, 1)[:, :length]
    return (rng.random((n, length)) < share).astype(np.uint8)


def answer(problem):
    return {"bits": given(problem.sizes.n, problem.sizes.length)}
