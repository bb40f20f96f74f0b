"""A machine with a stack of its own a work-item: each interprets one of sixteen programs."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 12, "steps": 400}
SMALL = {"n": 80, "steps": 30}
PUSH, ADD, MUL, DUP, SWAP, OVER, DROP, LOOP = range(8)


def make(rng, n, steps):
    code = np.zeros((16, 32), np.uint32)
    for program in code:
        depth = 2
        for place in range(31):
            choices = [PUSH, DUP, OVER] if depth < 6 else []
            if depth > 2:
                choices += [ADD, MUL, DROP]
            op = int(rng.choice([*choices, SWAP]))
            depth += {PUSH: 1, DUP: 1, OVER: 1, SWAP: 0}.get(op, -1)
            program[place] = op | int(rng.integers(1, 1 << 20)) << 8
        program[31] = LOOP
    arrays = {
        "code": code,
        "which": rng.integers(0, 16, n, np.uint32),
        "start": rng.integers(0, 1 << 32, n, np.uint32),
        "top": np.zeros(n, np.uint32),
    }
    launch = Launch("interpreter", (np.uint32(n), np.uint32(steps), *arrays), (n,), (64,))
    return Problem(arrays, [launch], ("top",))


def answer(problem):
    a, steps = problem.arrays, problem.sizes.steps
    top = np.empty_like(a["top"])
    for which in range(16):
        program, chosen = a["code"][which], a["which"] == which
        start = a["start"][chosen]
        stack, pc = [start, start ^ np.uint32(0x55555555)], 0
        for _ in range(steps):
            op, number = program[pc] & 255, program[pc] >> 8
            pc += 1
            if op == PUSH:
                stack.append(np.full_like(start, number))
            elif op in (ADD, MUL):
                last = stack.pop()
                stack[-1] = stack[-1] + last if op == ADD else stack[-1] * last
            elif op == DUP:
                stack.append(stack[-1])
            elif op == SWAP:
                stack[-2:] = stack[:-3:-1]
            elif op == OVER:
                stack.append(stack[-2])
            elif op == DROP:
                stack.pop()
            else:
                stack, pc = [stack[-2], stack[-1]], 0
        top[chosen] = stack[-1]
    return {"top": top}
