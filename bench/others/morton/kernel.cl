ulong spread(ulong x)
{
    x = (x | x << 32) & 0x001f00000000fffful;
    x = (x | x << 16) & 0x001f0000ff0000fful;
    x = (x | x << 8) & 0x100f00f00f00f00ful;
    x = (x | x << 4) & 0x10c30c30c30c30c3ul;
    return (x | x << 2) & 0x1249249249249249ul;
}

kernel void morton(uint n, global const uint *restrict x, global const uint *restrict y,
                   global const uint *restrict z, global ulong *restrict code)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    code[i] = spread(x[i]) | spread(y[i]) << 1 | spread(z[i]) << 2;
}
