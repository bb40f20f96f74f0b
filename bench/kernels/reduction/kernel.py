import numpy as np

GROUP = 256


def reduction(n, x, sums):
    for first in range(0, n, GROUP):
        total = np.uint32(0)
        for i in range(first, min(n, first + GROUP)):
            total += x[i]
        sums[first // GROUP] = total
