#include <stdint.h>

enum { HALO = 8 };

void stencil(uint32_t n, const float *restrict weight, const float *restrict x, float *restrict y)
{
    for (uint32_t i = 0; i < n; i++) {
        float sum = 0;
        for (uint32_t k = 0; k <= HALO; k++)
            sum += weight[k] * x[i + k];
        y[i] = sum;
    }
}
