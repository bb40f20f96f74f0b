#include <stdint.h>

void collatz(uint32_t n, uint32_t *restrict steps)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t v = (uint64_t)i + 1;
        uint32_t taken = 0;
        while (v != 1) {
            v = v & 1 ? 3 * v + 1 : v >> 1;
            taken++;
        }
        steps[i] = taken;
    }
}
