"""Sound in four bits a sample (IMA ADPCM), decoded: a stream a work-item, a table for the step."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 4096, "length": 64}
SMALL = {"n": 90, "length": 12}
STEPS = (
    "7 8 9 10 11 12 13 14 16 17 19 21 23 25 28 31 34 37 41 45 50 55 60 66 73 80 88 97 107 118 130"
    " 143 157 173 190 209 230 253 279 307 337 371 408 449 494 544 598 658 724 796 876 963 1060"
    " 1166 1282 1411 1552 1707 1878 2066 2272 2499 2749 3024 3327 3660 4026 4428 4871 5358 5894"
    " 6484 7132 7845 8630 9493 10442 11487 12635 13899 15289 16818 18500 20350 22385 24623 27086"
    " 29794 32767"
)


def make(rng, n, length):
    arrays = {
        "step": np.array(STEPS.split(), np.int32),
        "code": rng.integers(0, 256, (n, length), np.uint8),
        "sound": np.zeros((n, 2 * length), np.int16),
    }
    return Problem(
        arrays, [Launch("adpcm", (np.uint32(n), np.uint32(length), *arrays), (n,))], ("sound",)
    )


def answer(problem):
    a = problem.arrays
    index, value = np.zeros((2, len(a["code"])), np.int32)
    sound = np.empty_like(a["sound"])
    for k in range(sound.shape[1]):
        code = a["code"][:, k // 2].astype(int) >> k % 2 * 4 & 15
        step = a["step"][index]
        change = (step >> 3) + (code >> 2 & 1) * step
        change = change + (code >> 1 & 1) * (step >> 1) + (code & 1) * (step >> 2)
        value = np.clip(np.where(code & 8, value - change, value + change), -32768, 32767)
        index = np.clip(index + np.where(code & 4, (code & 3) * 2 + 2, -1), 0, 88)
        sound[:, k] = value
    return {"sound": sound}
