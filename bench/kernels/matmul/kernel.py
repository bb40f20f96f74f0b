import numpy as np

TILE = 16


def matmul(n, a, b, c):
    sums = np.empty((TILE, TILE), np.float32)
    for y in range(0, n, TILE):
        for x in range(0, n, TILE):
            sums[:] = 0
            for t in range(0, n, TILE):
                for ty in range(TILE):
                    for k in range(TILE):
                        for tx in range(TILE):
                            sums[ty, tx] += a[y + ty, t + k] * b[t + k, x + tx]
            c[y : y + TILE, x : x + TILE] = sums
