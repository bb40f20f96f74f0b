"""Values of expressions, trees of nodes in arrays, by a stack of nodes and one of values."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13}
SMALL = {"n": 60}
NUMBER, X, Y, ADD, SUB, MUL, MOST = range(7)
TREES = 32


def make(rng, n):
    nodes, roots = [], []
    for _ in range(TREES):
        roots.append(_grow(rng, nodes, int(rng.integers(3, 6))))
    op, left, right = (np.array(column, np.uint32) for column in zip(*nodes, strict=True))
    arrays = {
        "op": op,
        "left": left,
        "right": right,
        "root": np.array(roots, np.uint32)[rng.integers(0, TREES, n)],
        "x": rng.integers(0, 1 << 32, n, np.uint32),
        "y": rng.integers(0, 1 << 32, n, np.uint32),
        "value": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("exprtree", (np.uint32(n), *arrays), (n,), (64,))], ("value",))


def _grow(rng, nodes, depth):
    if depth == 0 or rng.integers(6) == 0:
        nodes.append((int(rng.integers(NUMBER, ADD)), int(rng.integers(1000)), 0))
        return len(nodes) - 1
    sides = _grow(rng, nodes, depth - 1), _grow(rng, nodes, depth - 1)
    nodes.append((int(rng.integers(ADD, MOST + 1)), *sides))
    return len(nodes) - 1


def answer(problem):
    a = problem.arrays
    op, left, right = (a[name].tolist() for name in ("op", "left", "right"))
    value = np.empty_like(a["value"])

    def of(node, x, y):
        if op[node] < ADD:
            return (np.full_like(x, left[node]), x, y)[op[node]]
        sides = of(left[node], x, y), of(right[node], x, y)
        return (np.add, np.subtract, np.multiply, np.maximum)[op[node] - ADD](*sides)

    for root in np.unique(a["root"]):
        items = a["root"] == root
        value[items] = of(int(root), a["x"][items], a["y"][items])
    return {"value": value}
