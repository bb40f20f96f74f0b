#include <stdint.h>

static uint32_t next(uint32_t state)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^ (state << 5);
}

void montecarlo(uint32_t n, uint32_t points, const uint32_t *restrict seed,
                uint32_t *restrict draws)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t state = seed[i], drawn = 0;
        for (uint32_t inside = 0; inside < points; inside++) {
            float x, y;
            do {
                state = next(state);
                x = (state >> 8) * 0x1p-24f;
                state = next(state);
                y = (state >> 8) * 0x1p-24f;
                drawn++;
            } while (x * x + y * y > 1);
        }
        draws[i] = drawn;
    }
}
