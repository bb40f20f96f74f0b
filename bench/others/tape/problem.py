"""Programs of loops on a tape, as in Brainfuck, compiled to words: an input a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 12}
SMALL = {"n": 60}
MOVE, ADD, LEAVE, REPEAT, PUT, GET, MIX, END = range(8)
PROGRAMS, LENGTH, CELLS = 16, 64, 64


def make(rng, n):
    code = np.full((PROGRAMS, LENGTH), END, np.uint32)
    for row in code:
        words = _body(rng, 2)
        while len(words) >= LENGTH:
            words = _body(rng, 2)
        row[: len(words)] = words
    arrays = {
        "code": code,
        "which": rng.integers(0, PROGRAMS, n, np.uint32),
        "start": rng.integers(0, 1 << 32, n, np.uint32),
        "result": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("tape", (np.uint32(n), *arrays), (n,), (64,))], ("result",))


def _body(rng, depth, at=0):
    """Words that leave the pointer where it was; `at` is the place of the first one."""
    words = []
    for _ in range(int(rng.integers(2, 4))):
        if depth and rng.integers(3):
            words.append(GET)
            leave = len(words)
            words.append(LEAVE)
            words.append(MOVE | 2 << 8)
            words += _body(rng, depth - 1, at + len(words))
            words += [MOVE | (CELLS - 2) << 8, ADD | 0xFFFFFF << 8]
            words.append(REPEAT | (at + leave + 1) << 8)
            words[leave] = LEAVE | (at + len(words)) << 8
        else:
            step = int(rng.integers(8, 40))
            words += [MOVE | step << 8, ADD | int(rng.integers(1, 100)) << 8]
            words += [(PUT, MIX)[int(rng.integers(2))], MOVE | (CELLS - step) << 8]
    return words


def answer(problem):
    a = problem.arrays
    result = [
        _run(a["code"][which].tolist(), seed)
        for which, seed in zip(a["which"].tolist(), a["start"].tolist(), strict=True)
    ]
    return {"result": np.array(result, np.uint32)}


def _run(code, seed):
    tape, at, pc, total = [0] * CELLS, 0, 0, 0
    while True:
        op, number = code[pc] & 255, code[pc] >> 8
        pc += 1
        if op == MOVE:
            at = at + number & CELLS - 1
        elif op == ADD:
            tape[at] = tape[at] + number & 0xFFFFFF
        elif op == LEAVE:
            if tape[at] == 0:
                pc = number
        elif op == REPEAT:
            if tape[at] != 0:
                pc = number
        elif op == PUT:
            total = total * 31 + tape[at] & 0xFFFFFFFF
        elif op == GET:
            seed = seed * 1664525 + 1013904223 & 0xFFFFFFFF
            tape[at] = seed >> 29
        elif op == MIX:
            tape[at] ^= total >> 8
        else:
            return total
