def saxpy(a, n, x, y):
    for i in range(n):
        y[i] = a * x[i] + y[i]
