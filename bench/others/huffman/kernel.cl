kernel void huffman(uint n, uint length, global const ushort *restrict table,
                    global const uint *restrict start, global const uint *restrict words,
                    global uchar *restrict symbol)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint place = start[i];
    for (uint k = 0; k < length; k++) {
        ulong both = words[place >> 5] | (ulong)words[(place >> 5) + 1] << 32;
        ushort entry = table[both >> (place & 31) & 1023];
        symbol[i * length + k] = entry >> 4;
        place += entry & 15;
    }
}
