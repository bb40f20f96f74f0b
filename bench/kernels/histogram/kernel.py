def histogram(n, stride, x, bins):
    for i in range(n):
        bins[x[i]] += 1
