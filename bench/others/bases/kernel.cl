kernel void bases(uint n, global const uchar *restrict x, global uint *restrict out)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint c[4] = {0, 0, 0, 0};
    for (int k = 0; k < 64; k++)
        c[x[k * n + i] & 3]++;
    for (int k = 0; k < 4; k++)
        out[k * n + i] = c[k];
}
