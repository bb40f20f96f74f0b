kernel void gesummv(uint n, float alpha, float beta, global const float *restrict a,
                    global const float *restrict b, global const float *restrict x,
                    global float *restrict tmp, global float *restrict y)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    tmp[i] = 0;
    y[i] = 0;
    for (uint j = 0; j < n; j++) {
        tmp[i] += a[i * n + j] * x[j];
        y[i] += b[i * n + j] * x[j];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
}
