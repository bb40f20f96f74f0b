kernel void modpow(uint n, global const uint *restrict base, global const uint *restrict exponent,
                   global const uint *restrict modulus, global uint *restrict power)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint m = modulus[i], b = base[i] % m, p = 1 % m;
    for (uint e = exponent[i]; e; e >>= 1) {
        if (e & 1)
            p = p * b % m;
        b = b * b % m;
    }
    power[i] = p;
}
