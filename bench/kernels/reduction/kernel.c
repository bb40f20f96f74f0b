#include <stdint.h>

enum { GROUP = 256 };

void reduction(uint32_t n, const uint32_t *restrict x, uint32_t *restrict sums)
{
    for (uint32_t first = 0; first < n; first += GROUP) {
        uint32_t end = n - first < GROUP ? n : first + GROUP, sum = 0;
        for (uint32_t i = first; i < end; i++)
            sum += x[i];
        sums[first / GROUP] = sum;
    }
}
