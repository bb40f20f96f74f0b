#include <stdint.h>

void spmv(uint32_t n, const uint32_t *restrict row, const uint32_t *restrict col,
          const float *restrict value, const float *restrict x, float *restrict y)
{
    for (uint32_t r = 0; r < n; r++) {
        float sum = 0;
        for (uint32_t e = row[r]; e < row[r + 1]; e++)
            sum += value[e] * x[col[e]];
        y[r] = sum;
    }
}
