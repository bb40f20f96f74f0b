import numpy as np

GROUP = 256


def scan_blocks(n, x, y, sums):
    for first in range(0, n, GROUP):
        total = np.uint32(0)
        for i in range(first, min(n, first + GROUP)):
            total += x[i]
            y[i] = total
        sums[first // GROUP] = total


def add_sums(n, sums, y):
    for i in range(GROUP, n):
        y[i] += sums[i // GROUP - 1]
