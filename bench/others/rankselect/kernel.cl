kernel void rankselect(uint n, uint words, global const uint *restrict bits,
                       global const uint *restrict before, global const uint *restrict asked,
                       global uint *restrict place)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint rank = asked[i], low = 0, high = words;
    while (high - low > 1) {
        uint middle = (low + high) / 2;
        if (before[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    uint word = bits[low];
    for (uint left = rank - before[low]; left > 0; left--)
        word &= word - 1;
    place[i] = low * 32 + popcount((word & -word) - 1);
}
