#include <stdint.h>

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void edit(uint32_t n, uint32_t length, const uint8_t *restrict a, const uint8_t *restrict b,
          uint32_t *restrict distance)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row[64];
        for (uint32_t j = 0; j <= length; j++)
            row[j] = j;
        for (uint32_t k = 0; k < length; k++) {
            uint32_t diagonal = row[0], left = k + 1, letter = a[(uint64_t)k * n + i];
            row[0] = left;
            for (uint32_t j = 1; j <= length; j++) {
                uint32_t above = row[j];
                uint32_t change = diagonal + (letter != b[(uint64_t)(j - 1) * n + i]);
                left = least(least(above, left) + 1, change);
                row[j] = left;
                diagonal = above;
            }
        }
        distance[i] = row[length];
    }
}
