kernel void gemm(uint rows, uint columns, uint depth, float alpha, float beta,
                 global const float *restrict a, global const float *restrict b,
                 global float *restrict c)
{
    uint j = get_global_id(0), i = get_global_id(1);
    if (j >= columns || i >= rows)
        return;
    float sum = beta * c[i * columns + j];
    for (uint k = 0; k < depth; k++)
        sum += alpha * a[i * depth + k] * b[k * columns + j];
    c[i * columns + j] = sum;
}
