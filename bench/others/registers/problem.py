"""A machine with eight registers a work-item: each interprets one of thirty-two small programs."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 12}
SMALL = {"n": 60}
SET, ADD, SUB, MUL, XOR, SHIFT, LOOP, END = range(8)
PROGRAMS, LENGTH = 32, 24


def make(rng, n):
    code = np.zeros((PROGRAMS, LENGTH), np.uint32)
    for program in code:
        for place in range(LENGTH - 2):
            op = int(rng.integers(SET, LOOP))
            program[place] = op | _fields(rng)
        program[LENGTH - 2] = LOOP | 7 << 8
        program[LENGTH - 1] = END
    arrays = {
        "code": code,
        "which": rng.integers(0, PROGRAMS, n, np.uint32),
        "count": rng.integers(1, 40, n, np.uint32),
        "start": rng.integers(0, 1 << 32, n, np.uint32),
        "result": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("registers", (np.uint32(n), *arrays), (n,), (64,))], ("result",))


def _fields(rng):
    to, a, b = (int(x) for x in rng.integers(0, 7, 3))
    return to << 8 | a << 16 | b << 24


def answer(problem):
    a = problem.arrays
    result = np.empty_like(a["result"])
    for which in range(PROGRAMS):
        chosen = np.flatnonzero(a["which"] == which)
        regs = [a["start"][chosen] + np.uint32(r) for r in range(7)]
        left = a["count"][chosen].copy()
        live = np.ones(chosen.size, bool)
        while live.any():
            for word in a["code"][which][: LENGTH - 2]:
                op, to, x, y = (int(word) >> s & 255 for s in (0, 8, 16, 24))
                if op == SET:
                    new = np.full(chosen.size, x * 77 + y, np.uint32)
                elif op == SHIFT:
                    new = regs[x] >> np.uint32(y)
                else:
                    f = {ADD: np.add, SUB: np.subtract, MUL: np.multiply, XOR: np.bitwise_xor}[op]
                    new = f(regs[x], regs[y])
                regs[to] = np.where(live, new, regs[to])
            left -= live.astype(np.uint32)
            live &= left != 0
        result[chosen] = regs[0] ^ regs[1] ^ regs[2]
    return {"result": result}
