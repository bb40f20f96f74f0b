import numpy as np


def edit(n, length, a, b, distance):
    row = np.empty(64, np.uint32)
    for i in range(n):
        for j in range(length + 1):
            row[j] = j
        for k in range(length):
            diagonal, left, letter = np.uint32(k), np.uint32(k + 1), a[k, i]
            row[0] = left
            for j in range(1, length + 1):
                above = row[j]
                change = diagonal + np.uint32(letter != b[j - 1, i])
                left = min(np.uint32(min(above, left) + 1), np.uint32(change))
                row[j] = left
                diagonal = above
        distance[i] = row[length]
