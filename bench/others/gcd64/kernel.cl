uint zeros(ulong x)
{
    return popcount((x & -x) - 1);
}

kernel void gcd64(uint n, global const ulong *restrict a, global const ulong *restrict b,
                  global ulong *restrict divisor)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    ulong x = a[i], y = b[i];
    uint both = zeros(x | y);
    x >>= zeros(x);
    while (y != 0) {
        y >>= zeros(y);
        if (x > y) {
            ulong other = x;
            x = y;
            y = other;
        }
        y -= x;
    }
    divisor[i] = x << both;
}
