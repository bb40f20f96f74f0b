import numpy as np


def nbody(n, soft, x, y, z, mass, ax, ay, az):
    one = np.float32(1)
    for i in range(n):
        sx = sy = sz = np.float32(0)
        for j in range(n):
            dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
            inverse = one / np.sqrt(dx * dx + dy * dy + dz * dz + soft)
            weight = mass[j] * inverse * inverse * inverse
            sx += weight * dx
            sy += weight * dy
            sz += weight * dz
        ax[i], ay[i], az[i] = sx, sy, sz
