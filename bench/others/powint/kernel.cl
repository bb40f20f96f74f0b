kernel void powint(uint n, global const uint *restrict base, global const uint *restrict power,
                   global uint *restrict y)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint b = base[i], p = power[i], result = 1;
    while (p != 0) {
        if ((p & 1) != 0)
            result *= b;
        b *= b;
        p >>= 1;
    }
    y[i] = result;
}
