kernel void hotspot_step(uint n, global const float *restrict temp,
                         global const float *restrict power, global float *restrict next,
                         float step, float rx, float ry, float rz, float ambient)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n)
        return;
    size_t i = y * n + x;
    float t = temp[i];
    float north = y > 0 ? temp[i - n] : t, south = y < n - 1 ? temp[i + n] : t;
    float west = x > 0 ? temp[i - 1] : t, east = x < n - 1 ? temp[i + 1] : t;
    next[i] = t + step * (power[i] + (north + south - 2.0f * t) * ry
                          + (west + east - 2.0f * t) * rx + (ambient - t) * rz);
}
