import numpy as np


def hotspot_step(n, temp, power, out, step, rx, ry, rz, ambient):
    two = np.float32(2)
    for y in range(n):
        north = (y - 1) * n if y > 0 else y * n
        south = (y + 1) * n if y < n - 1 else y * n
        for x in range(n):
            i = y * n + x
            t = temp[i]
            west = temp[i - 1] if x > 0 else t
            east = temp[i + 1] if x < n - 1 else t
            out[i] = t + step * (
                power[i]
                + (temp[north + x] + temp[south + x] - two * t) * ry
                + (west + east - two * t) * rx
                + (ambient - t) * rz
            )
