import numpy as np
from numba import njit

u32, f32 = np.uint32, np.float32


@njit
def following(state):
    state ^= u32(state << u32(13))
    state ^= u32(state >> u32(17))
    return u32(state ^ u32(state << u32(5)))


def montecarlo(n, points, seed, draws):
    scale, one = f32(2**-24), f32(1)
    for i in range(n):
        state, drawn = seed[i], 0
        for _ in range(points):
            outside = True
            while outside:
                state = following(state)
                x = f32(state >> u32(8)) * scale
                state = following(state)
                y = f32(state >> u32(8)) * scale
                drawn += 1
                outside = x * x + y * y > one
        draws[i] = drawn
