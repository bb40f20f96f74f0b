#include <math.h>
#include <stdint.h>

void kmeans(uint32_t n, uint32_t dims, uint32_t k, const float *restrict feat,
            const float *restrict cent, int32_t *restrict label)
{
    for (uint32_t i = 0; i < n; i++) {
        float least = INFINITY;
        int32_t nearest = 0;
        for (uint32_t c = 0; c < k; c++) {
            float distance = 0;
            for (uint32_t j = 0; j < dims; j++) {
                float apart = feat[(uint64_t)j * n + i] - cent[c * dims + j];
                distance += apart * apart;
            }
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        label[i] = nearest;
    }
}
