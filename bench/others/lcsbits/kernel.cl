kernel void lcsbits(uint n, uint length, global const ulong *restrict mask,
                    global const uchar *restrict text, global uint *restrict common)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    ulong row = ~0ul;
    for (uint k = 0; k < length; k++) {
        ulong same = row & mask[text[i * length + k]];
        row = (row + same) | (row - same);
    }
    common[i] = popcount(~row);
}
