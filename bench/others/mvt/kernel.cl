kernel void by_rows(uint n, global const float *restrict a, global const float *restrict y,
                    global float *restrict x)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    for (uint j = 0; j < n; j++)
        x[i] += a[i * n + j] * y[j];
}

kernel void by_columns(uint n, global const float *restrict a, global const float *restrict y,
                       global float *restrict x)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    for (uint j = 0; j < n; j++)
        x[i] += a[j * n + i] * y[j];
}
