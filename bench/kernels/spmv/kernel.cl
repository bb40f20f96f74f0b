kernel void spmv(uint n, global const uint *restrict row, global const uint *restrict col,
                 global const float *restrict value, global const float *restrict x,
                 global float *restrict y)
{
    size_t r = get_global_id(0);
    if (r >= n)
        return;
    float sum = 0.0f;
    for (uint e = row[r]; e < row[r + 1]; e++)
        sum += value[e] * x[col[e]];
    y[r] = sum;
}
