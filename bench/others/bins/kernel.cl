kernel void bins(uint n, uint values, global const uchar *restrict x,
                 global uint *restrict most)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uchar count[64];
    for (int k = 0; k < 64; k++)
        count[k] = 0;
    for (int k = 0; k < values; k++)
        count[x[k * n + i]]++;
    uint best = count[0], where = 0;
    for (int k = 1; k < 64; k++)
        if (count[k] > best) {
            best = count[k];
            where = k;
        }
    most[i] = where;
}
