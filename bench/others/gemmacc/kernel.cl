kernel void gemmacc(uint n, float alpha, float beta, global const float *restrict a,
                    global const float *restrict b, global float *restrict c)
{
    uint j = get_global_id(0), i = get_global_id(1);
    if (i >= n || j >= n)
        return;
    c[i * n + j] *= beta;
    for (uint k = 0; k < n; k++)
        c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
}
