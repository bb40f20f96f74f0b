kernel void nbody(uint n, float soft, global const float *restrict x,
                  global const float *restrict y, global const float *restrict z,
                  global const float *restrict mass, global float *restrict ax,
                  global float *restrict ay, global float *restrict az)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float xi = x[i], yi = y[i], zi = z[i], sx = 0.0f, sy = 0.0f, sz = 0.0f;
    for (uint j = 0; j < n; j++) {
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
