kernel void spmm(uint items, global const uint *restrict row, global const uint *restrict col,
                 global const float *restrict value, global const float *restrict b,
                 global float *restrict c)
{
    uint i = get_global_id(0);
    if (i >= items)
        return;
    uint r = i / 8, j = i % 8;
    float sum = 0.0f;
    for (uint e = row[r]; e < row[r + 1]; e++)
        sum += value[e] * b[col[e] * 8 + j];
    c[i] = sum;
}
