"""Blocks of symbols by Huffman's codes of 2 to 10 bits, decoded by a table, a block a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13, "length": 64}
SMALL = {"n": 90, "length": 12}
BITS = 10
LENGTHS = (2,) + (3,) * 2 + (4,) * 3 + (5,) * 4 + (6,) * 6 + (8,) * 16 + (10,) * 32


def _codes():
    """The code of each symbol, its first bit lowest."""
    code, codes = 0, []
    for length in LENGTHS:
        number = code >> BITS - length
        codes.append(int(f"{number:0{length}b}"[::-1], 2))
        code += 1 << BITS - length
    return np.array(codes, np.uint64)


def make(rng, n, length):
    codes, lengths = _codes(), np.array(LENGTHS)
    table = np.zeros(1 << BITS, np.uint16)
    for symbol, (code, bits) in enumerate(zip(codes.tolist(), LENGTHS, strict=True)):
        table[code :: 1 << bits] = symbol << 4 | bits
    symbols = rng.choice(len(LENGTHS), n * length, p=0.5**lengths)
    end = np.cumsum(lengths[symbols])
    place = end - lengths[symbols]
    words = np.zeros(int(end[-1]) // 32 + 2, np.uint64)
    shifted = codes[symbols] << (place & 31).astype(np.uint64)
    np.bitwise_or.at(words, place >> 5, shifted & np.uint64(0xFFFFFFFF))
    np.bitwise_or.at(words, (place >> 5) + 1, shifted >> np.uint64(32))
    arrays = {
        "table": table,
        "start": place[::length].astype(np.uint32),
        "words": words.astype(np.uint32),
        "symbol": np.zeros((n, length), np.uint8),
    }
    launch = Launch("huffman", (np.uint32(n), np.uint32(length), *arrays), (n,))
    return Problem(arrays, [launch], ("symbol",))


def answer(problem):
    a, result = problem.arrays, np.empty_like(problem.arrays["symbol"])
    place, words = a["start"].astype(np.int64), a["words"].astype(np.uint64)
    for k in range(problem.sizes.length):
        both = words[place >> 5] | words[(place >> 5) + 1] << np.uint64(32)
        entry = a["table"][both >> (place & 31).astype(np.uint64) & np.uint64((1 << BITS) - 1)]
        result[:, k] = entry >> 4
        place += entry & 15
    return {"symbol": result}
