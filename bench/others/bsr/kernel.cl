kernel void bsr(uint n, global const uint *restrict start, global const uint *restrict column,
                global const float *restrict number, global const float *restrict x,
                global float *restrict y)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint row = i / 4, r = i % 4;
    float sum = 0;
    for (uint e = start[row]; e < start[row + 1]; e++)
        for (uint k = 0; k < 4; k++)
            sum += number[e * 16 + r * 4 + k] * x[column[e] * 4 + k];
    y[i] = sum;
}
