kernel void trmm(uint n, float alpha, global const float *restrict a,
                 global const float *restrict b, global float *restrict c)
{
    uint j = get_global_id(0), i = get_global_id(1);
    if (i >= n || j >= n)
        return;
    float sum = b[i * n + j];
    for (uint k = i + 1; k < n; k++)
        sum += a[k * n + i] * b[k * n + j];
    c[i * n + j] = alpha * sum;
}
