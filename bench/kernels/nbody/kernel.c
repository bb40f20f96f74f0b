#include <math.h>
#include <stdint.h>

void nbody(uint32_t n, float soft, const float *restrict x, const float *restrict y,
           const float *restrict z, const float *restrict mass, float *restrict ax,
           float *restrict ay, float *restrict az)
{
    for (uint32_t i = 0; i < n; i++) {
        float sx = 0, sy = 0, sz = 0;
        for (uint32_t j = 0; j < n; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + soft);
            float weight = mass[j] * inverse * inverse * inverse;
            sx += weight * dx;
            sy += weight * dy;
            sz += weight * dz;
        }
        ax[i] = sx;
        ay[i] = sy;
        az[i] = sz;
    }
}
