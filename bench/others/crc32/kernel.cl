kernel void crc32(uint n, global const uint *restrict table, global const uint *restrict start,
                  global const uchar *restrict text, global uint *restrict crc)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint c = 0xffffffff;
    for (uint j = start[i]; j < start[i + 1]; j++)
        c = table[(c ^ text[j]) & 255] ^ c >> 8;
    crc[i] = ~c;
}
