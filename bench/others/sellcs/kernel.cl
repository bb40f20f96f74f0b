kernel void sellcs(uint n, global const uint *restrict start, global const uint *restrict col,
                   global const float *restrict value, global const uint *restrict order,
                   global const float *restrict x, global float *restrict y)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint slice = i / 32, end = start[slice + 1];
    float sum = 0.0f;
    for (uint e = start[slice] + i % 32; e < end; e += 32)
        sum += value[e] * x[col[e]];
    y[order[i]] = sum;
}
