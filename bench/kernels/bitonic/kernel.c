#include <stdint.h>

void bitonic(uint32_t pairs, uint32_t j, uint32_t k, int32_t *keys)
{
    for (uint32_t t = 0; t < pairs; t++) {
        uint32_t low = 2 * t - (t & (j - 1)), high = low + j;
        int32_t x = keys[low], y = keys[high];
        if ((x > y) == ((low & k) == 0)) {
            keys[low] = y;
            keys[high] = x;
        }
    }
}
