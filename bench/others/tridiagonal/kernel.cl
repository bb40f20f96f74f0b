kernel void tridiagonal(uint n, global const float *restrict below,
                        global const float *restrict middle, global const float *restrict above,
                        global const float *restrict right, global float *restrict x)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float c[32], d[32];
    c[0] = above[i] / middle[i];
    d[0] = right[i] / middle[i];
    for (int k = 1; k < 32; k++) {
        float b = below[k * n + i];
        float scale = 1 / (middle[k * n + i] - b * c[k - 1]);
        c[k] = above[k * n + i] * scale;
        d[k] = (right[k * n + i] - b * d[k - 1]) * scale;
    }
    float last = d[31];
    x[31 * n + i] = last;
    for (int k = 30; k >= 0; k--) {
        last = d[k] - c[k] * last;
        x[k * n + i] = last;
    }
}
