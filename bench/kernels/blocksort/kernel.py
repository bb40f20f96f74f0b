BLOCK = 512


def blocksort(n, keys):
    for first in range(0, n, BLOCK):
        k = 2
        while k <= BLOCK:
            j = k // 2
            while j > 0:
                for t in range(BLOCK // 2):
                    low = first + 2 * t - (t & (j - 1))
                    high = low + j
                    x, y = keys[low], keys[high]
                    if (x > y) == ((low - first) & k == 0):
                        keys[low], keys[high] = y, x
                j //= 2
            k *= 2
