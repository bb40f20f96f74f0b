import numpy as np


def mandelbrot(width, height, limit, x0, y0, dx, dy, count):
    two, four = np.float32(2), np.float32(4)
    for y in range(height):
        for x in range(width):
            cr, ci = x0 + np.float32(x) * dx, y0 + np.float32(y) * dy
            zr, zi = cr, ci
            i = 0
            while i < limit:
                zr2, zi2 = zr * zr, zi * zi
                if zr2 + zi2 > four:
                    break
                zi = two * zr * zi + ci
                zr = zr2 - zi2 + cr
                i += 1
            count[y * width + x] = i
