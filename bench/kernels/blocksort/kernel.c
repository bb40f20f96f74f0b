#include <stdint.h>

enum { BLOCK = 512 };

void blocksort(uint32_t n, int32_t *keys)
{
    for (int32_t *block = keys; block < keys + n; block += BLOCK) {
        for (uint32_t k = 2; k <= BLOCK; k *= 2) {
            for (uint32_t j = k / 2; j > 0; j /= 2) {
                for (uint32_t t = 0; t < BLOCK / 2; t++) {
                    uint32_t low = 2 * t - (t & (j - 1)), high = low + j;
                    int32_t x = block[low], y = block[high];
                    if ((x > y) == ((low & k) == 0)) {
                        block[low] = y;
                        block[high] = x;
                    }
                }
            }
        }
    }
}
