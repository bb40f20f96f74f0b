export void nbody(uniform int n, uniform float soft, uniform const float x[],
                  uniform const float y[], uniform const float z[], uniform const float mass[],
                  uniform float ax[], uniform float ay[], uniform float az[])
{
    foreach (i = 0 ... n) {
        float xi = x[i], yi = y[i], zi = z[i], sx = 0.0f, sy = 0.0f, sz = 0.0f;
        for (uniform int j = 0; j < n; j++) {
            float dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
            float inverse = 1.0f / sqrt(dx * dx + dy * dy + dz * dz + soft);
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
