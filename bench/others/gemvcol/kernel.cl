kernel void gemvcol(uint n, global const float *restrict a, global const float *restrict x,
                    global float *restrict y)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float sum = 0;
    for (uint j = 0; j < n; j++)
        sum += a[j * n + i] * x[j];
    y[i] = sum;
}
