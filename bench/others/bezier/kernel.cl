kernel void bezier(uint n, global const float *restrict px, global const float *restrict py,
                   global const float *restrict t, global float *restrict x,
                   global float *restrict y)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float u[8], v[8];
    for (int k = 0; k < 8; k++) {
        u[k] = px[k * n + i];
        v[k] = py[k * n + i];
    }
    float s = t[i];
    for (int last = 7; last > 0; last--)
        for (int k = 0; k < last; k++) {
            u[k] = u[k] + s * (u[k + 1] - u[k]);
            v[k] = v[k] + s * (v[k + 1] - v[k]);
        }
    x[i] = u[0];
    y[i] = v[0];
}
