export void hotspot_step(uniform int n, uniform const float temp[], uniform const float power[],
                         uniform float next[], uniform float step, uniform float rx,
                         uniform float ry, uniform float rz, uniform float ambient)
{
    for (uniform int y = 0; y < n; y++) {
        uniform int above = y > 0 ? -(uniform int)n : 0, below = y < n - 1 ? n : 0;
        foreach (x = 0 ... n) {
            int i = y * n + x;
            float t = temp[i], north = temp[i + above], south = temp[i + below];
            float west = t, east = t;
            if (x > 0)
                west = temp[i - 1];
            if (x < n - 1)
                east = temp[i + 1];
            next[i] = t + step * (power[i] + (north + south - 2.0f * t) * ry
                                  + (west + east - 2.0f * t) * rx + (ambient - t) * rz);
        }
    }
}
