constant uint low[63] = {
    0, 2, 4, 6, 8, 10, 12, 14, 0, 1, 4, 5, 8, 9, 12, 13, 1, 5, 9, 13, 0,
    1, 2, 3, 8, 9, 10, 11, 2, 3, 10, 11, 1, 3, 5, 9, 11, 13, 0, 1, 2, 3,
    4, 5, 6, 7, 4, 5, 6, 7, 2, 3, 6, 7, 10, 11, 1, 3, 5, 7, 9, 11, 13};
constant uint high[63] = {
    1, 3, 5, 7, 9, 11, 13, 15, 2, 3, 6, 7, 10, 11, 14, 15, 2, 6, 10, 14, 4,
    5, 6, 7, 12, 13, 14, 15, 4, 5, 12, 13, 2, 4, 6, 10, 12, 14, 8, 9, 10, 11,
    12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 8, 9, 12, 13, 2, 4, 6, 8, 10, 12, 14};

kernel void comparators(uint n, global float *restrict x)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float v[16];
    for (int k = 0; k < 16; k++)
        v[k] = x[k * n + i];
    for (int k = 0; k < 63; k++) {
        float a = v[low[k]], b = v[high[k]];
        v[low[k]] = a < b ? a : b;
        v[high[k]] = a < b ? b : a;
    }
    for (int k = 0; k < 16; k++)
        x[k * n + i] = v[k];
}
