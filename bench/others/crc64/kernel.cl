kernel void crc64(uint n, global const uint *restrict start, global const uchar *restrict text,
                  global const ulong *restrict table, global ulong *restrict crc)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    ulong sum = ~0ul;
    for (uint k = start[i]; k < start[i + 1]; k++)
        sum = table[(uchar)sum ^ text[k]] ^ sum >> 8;
    crc[i] = ~sum;
}
