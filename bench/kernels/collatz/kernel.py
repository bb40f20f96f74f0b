def collatz(n, steps):
    for i in range(n):
        v, taken = i + 1, 0
        while v != 1:
            v = 3 * v + 1 if v & 1 else v >> 1
            taken += 1
        steps[i] = taken
