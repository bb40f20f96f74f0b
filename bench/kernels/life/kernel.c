#include <stdint.h>

void life(uint32_t n, const uint8_t *restrict cells, uint8_t *restrict next)
{
    for (uint32_t y = 0; y < n; y++) {
        const uint8_t *above = cells + (uint64_t)y * (n + 2), *here = above + n + 2;
        const uint8_t *below = here + n + 2;
        for (uint32_t x = 0; x < n; x++) {
            uint32_t around = above[x] + above[x + 1] + above[x + 2] + here[x] + here[x + 2]
                              + below[x] + below[x + 1] + below[x + 2];
            next[(uint64_t)(y + 1) * (n + 2) + x + 1] = (around | here[x + 1]) == 3;
        }
    }
}
