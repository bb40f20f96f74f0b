static inline int zeros(uint64 x)
{
    return popcnt((int64)((x & -x) - 1));
}

export void gcd64(uniform int n, uniform const uint64 a[], uniform const uint64 b[],
                  uniform uint64 divisor[])
{
    foreach (i = 0 ... n) {
        uint64 x = a[i], y = b[i];
        int both = zeros(x | y);
        x >>= zeros(x);
        while (y != 0) {
            y >>= zeros(y);
            if (x > y) {
                uint64 other = x;
                x = y;
                y = other;
            }
            y -= x;
        }
        divisor[i] = x << both;
    }
}
