#include <stdint.h>

void hotspot_step(uint32_t n, const float *restrict temp, const float *restrict power,
                  float *restrict next, float step, float rx, float ry, float rz, float ambient)
{
    for (uint32_t y = 0; y < n; y++) {
        const float *row = temp + (uint64_t)y * n;
        const float *above = y > 0 ? row - n : row, *below = y < n - 1 ? row + n : row;
        for (uint32_t x = 0; x < n; x++) {
            float t = row[x], west = row[x > 0 ? x - 1 : x], east = row[x < n - 1 ? x + 1 : x];
            next[(uint64_t)y * n + x] = t + step * (power[(uint64_t)y * n + x]
                                                    + (above[x] + below[x] - 2 * t) * ry
                                                    + (west + east - 2 * t) * rx
                                                    + (ambient - t) * rz);
        }
    }
}
