kernel void ell(uint n, uint width, global const uint *restrict col,
                global const float *restrict value, global const float *restrict x,
                global float *restrict y)
{
    size_t r = get_global_id(0);
    if (r >= n)
        return;
    float sum = 0.0f;
    for (uint k = 0; k < width; k++)
        sum += value[k * n + r] * x[col[k * n + r]];
    y[r] = sum;
}
