#include <stdint.h>

enum { TILE = 16 };

void transpose(uint32_t n, const uint32_t *restrict x, uint32_t *restrict y)
{
    for (uint32_t row = 0; row < n; row += TILE)
        for (uint32_t column = 0; column < n; column += TILE)
            for (uint32_t ty = 0; ty < TILE; ty++)
                for (uint32_t tx = 0; tx < TILE; tx++)
                    y[(uint64_t)(column + ty) * n + row + tx] =
                        x[(uint64_t)(row + tx) * n + column + ty];
}
