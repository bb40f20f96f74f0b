export void forces(uniform int n, uniform const float x[], uniform const float y[],
                   uniform const float z[], uniform const uint32 start[],
                   uniform const uint32 other[], uniform float fx[], uniform float fy[],
                   uniform float fz[])
{
    foreach (i = 0 ... n) {
        float ox = x[i], oy = y[i], oz = z[i];
        float sx = 0.0f, sy = 0.0f, sz = 0.0f;
        int end = start[i + 1];
        for (int e = start[i]; e < end; e++) {
            int j = other[e];
            float dx = ox - x[j], dy = oy - y[j], dz = oz - z[j];
            float size = 1.0f / (dx * dx + dy * dy + dz * dz + 0.01f);
            sx += dx * size;
            sy += dy * size;
            sz += dz * size;
        }
        fx[i] = sx;
        fy[i] = sy;
        fz[i] = sz;
    }
}
