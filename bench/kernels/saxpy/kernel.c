#include <stdint.h>

void saxpy(float a, uint32_t n, const float *restrict x, float *restrict y)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
