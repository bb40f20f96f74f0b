#include <stdint.h>

void mandelbrot(uint32_t width, uint32_t height, uint32_t limit, float x0, float y0, float dx,
                float dy, uint32_t *restrict count)
{
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            float cr = x0 + x * dx, ci = y0 + y * dy, zr = cr, zi = ci;
            uint32_t i = 0;
            while (i < limit) {
                float zr2 = zr * zr, zi2 = zi * zi;
                if (zr2 + zi2 > 4.0f)
                    break;
                zi = 2.0f * zr * zi + ci;
                zr = zr2 - zi2 + cr;
                i++;
            }
            count[y * width + x] = i;
        }
    }
}
