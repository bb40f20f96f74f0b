kernel void lowerbound(uint n, uint size, global const uint *restrict sorted,
                       global const uint *restrict key, global uint *restrict place)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint sought = key[i], low = 0, high = size;
    while (low < high) {
        uint middle = (low + high) / 2;
        if (sorted[middle] < sought)
            low = middle + 1;
        else
            high = middle;
    }
    place[i] = low;
}
