kernel void simple8b(uint n, global const ulong *restrict words, global const uint *restrict to,
                     global uint *restrict values)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    ulong word = words[i];
    uint kind = (uint)(word >> 60), place = to[i];
    uint width = kind + 1;
    if (kind >= 8)
        width = kind == 8 ? 10 : kind == 9 ? 12 : kind == 10 ? 15 : kind == 11 ? 20 : 30;
    uint count = 60 / width;
    ulong mask = (1ul << width) - 1ul;
    for (uint k = 0; k < count; k++)
        values[place + k] = (uint)(word >> k * width & mask);
}
