kernel void rans(uint n, uint length, global const uint *restrict start,
                 global const uint *restrict state, global const uchar *restrict coded,
                 global const uint *restrict slot, global uchar *restrict text)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint x = state[i], place = start[i];
    for (uint k = 0; k < length; k++) {
        uint entry = slot[x & 4095];
        text[k * n + i] = entry;
        x = (entry >> 8 & 4095) * (x >> 12) + (entry >> 20);
        while (x < 1 << 23) {
            x = x << 8 | coded[place];
            place++;
        }
    }
}
