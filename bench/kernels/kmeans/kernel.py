import numpy as np


def kmeans(n, dims, k, feat, cent, label):
    for i in range(n):
        least, nearest = np.float32(np.inf), 0
        for c in range(k):
            distance = np.float32(0)
            for j in range(dims):
                apart = feat[j, i] - cent[c, j]
                distance += apart * apart
            if distance < least:
                least, nearest = distance, c
        label[i] = nearest
