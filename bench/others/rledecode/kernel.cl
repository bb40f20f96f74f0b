kernel void rledecode(uint rows, global const uint *restrict start,
                      global const uchar *restrict pairs, global uchar *restrict text)
{
    uint i = get_global_id(0);
    if (i >= rows)
        return;
    uint to = i * 512;
    for (uint r = start[i]; r < start[i + 1]; r++) {
        uint length = pairs[2 * r];
        uchar value = pairs[2 * r + 1];
        for (uint k = 0; k < length; k++)
            text[to++] = value;
    }
}
