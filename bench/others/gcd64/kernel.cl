kernel void gcd64(uint n, global const ulong *restrict as, global const ulong *restrict bs,
                  global ulong *restrict divisor)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    ulong a = as[i], b = bs[i];
    uint shift = 0;
    while (((a | b) & 1) == 0) {
        a >>= 1;
        b >>= 1;
        shift++;
    }
    while ((a & 1) == 0)
        a >>= 1;
    while (b != 0) {
        while ((b & 1) == 0)
            b >>= 1;
        ulong low = min(a, b);
        b = max(a, b) - low;
        a = low;
    }
    divisor[i] = a << shift;
}
