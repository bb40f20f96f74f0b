#include <stdint.h>
#include <string.h>

enum { TILE = 16 };

void matmul(uint32_t n, const float *restrict a, const float *restrict b, float *restrict c)
{
    for (uint32_t y = 0; y < n; y += TILE) {
        for (uint32_t x = 0; x < n; x += TILE) {
            float sums[TILE][TILE] = {0};
            for (uint32_t t = 0; t < n; t += TILE)
                for (uint32_t ty = 0; ty < TILE; ty++)
                    for (uint32_t k = 0; k < TILE; k++)
                        for (uint32_t tx = 0; tx < TILE; tx++)
                            sums[ty][tx] += a[(uint64_t)(y + ty) * n + t + k]
                                            * b[(uint64_t)(t + k) * n + x + tx];
            for (uint32_t ty = 0; ty < TILE; ty++)
                memcpy(c + (uint64_t)(y + ty) * n + x, sums[ty], sizeof sums[ty]);
        }
    }
}
