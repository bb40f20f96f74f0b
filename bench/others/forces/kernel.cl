kernel void forces(uint n, global const float *restrict x, global const float *restrict y,
                   global const float *restrict z, global const uint *restrict start,
                   global const uint *restrict other, global float *restrict fx,
                   global float *restrict fy, global float *restrict fz)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float sx = 0.0f, sy = 0.0f, sz = 0.0f;
    for (uint e = start[i]; e < start[i + 1]; e++) {
        uint j = other[e];
        float dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
        float size = 1.0f / (dx * dx + dy * dy + dz * dz + 0.01f);
        sx += dx * size;
        sy += dy * size;
        sz += dz * size;
    }
    fx[i] = sx;
    fy[i] = sy;
    fz[i] = sz;
}
