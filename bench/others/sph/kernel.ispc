export void density(uniform int n, uniform int cells, uniform const float x[],
                    uniform const float y[], uniform const float z[],
                    uniform const uint32 start[], uniform float density[])
{
    foreach (i = 0 ... n) {
        float px = x[i], py = y[i], pz = z[i], sum = 0.0f;
        int cx = px, cy = py, cz = pz;
        uniform int last = cells - 1;
        int low = max(cx - 1, 0), high = min(cx + 1, last);
        for (int k = max(cz - 1, 0); k <= min(cz + 1, last); k++)
            for (int r = max(cy - 1, 0); r <= min(cy + 1, last); r++) {
                int row = (k * cells + r) * cells;
                int end = start[row + high + 1];
                for (int j = start[row + low]; j < end; j++) {
                    float dx = px - x[j], dy = py - y[j], dz = pz - z[j];
                    float r2 = dx * dx + dy * dy + dz * dz;
                    if (r2 < 1.0f) {
                        float q = 2.0f * sqrt(r2);
                        float t = 1.0f - 0.5f * q;
                        sum += t * t * t * t * (2.0f * q + 1.0f);
                    }
                }
            }
        density[i] = sum;
    }
}
