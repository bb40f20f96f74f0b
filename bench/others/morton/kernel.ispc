static inline uint64 spread(uint64 x)
{
    x = (x | x << 32) & 0x001f00000000ffff;
    x = (x | x << 16) & 0x001f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}

export void morton(uniform int n, uniform const uint32 x[], uniform const uint32 y[],
                   uniform const uint32 z[], uniform uint64 code[])
{
    foreach (i = 0 ... n)
        code[i] = spread(x[i]) | spread(y[i]) << 1 | spread(z[i]) << 2;
}
