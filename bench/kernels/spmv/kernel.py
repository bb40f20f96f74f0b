import numpy as np


def spmv(n, row, col, value, x, y):
    for r in range(n):
        total = np.float32(0)
        for e in range(row[r], row[r + 1]):
            total += value[e] * x[col[e]]
        y[r] = total
