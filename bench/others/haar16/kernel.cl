kernel void haar16(uint n, global float *restrict x)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float v[16], t[16];
    for (int k = 0; k < 16; k++)
        v[k] = x[k * n + i];
    for (int size = 8; size > 0; size /= 2) {
        for (int k = 0; k < size; k++) {
            t[k] = (v[2 * k] + v[2 * k + 1]) * 0.70710678f;
            t[size + k] = (v[2 * k] - v[2 * k + 1]) * 0.70710678f;
        }
        for (int k = 0; k < 2 * size; k++)
            v[k] = t[k];
    }
    for (int k = 0; k < 16; k++)
        x[k * n + i] = v[k];
}
