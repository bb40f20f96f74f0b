def bitonic(pairs, j, k, keys):
    for t in range(pairs):
        low = 2 * t - (t & (j - 1))
        high = low + j
        x, y = keys[low], keys[high]
        if (x > y) == ((low & k) == 0):
            keys[low], keys[high] = y, x
