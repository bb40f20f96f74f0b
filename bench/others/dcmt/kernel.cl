kernel void dcmt(uint n, uint count, global const uint *restrict seed,
                 global const uint *restrict matrix, global uint *restrict out)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint mt[19], a = matrix[i];
    mt[0] = seed[i];
    for (uint k = 1; k < 19; k++)
        mt[k] = 1812433253u * (mt[k - 1] ^ (mt[k - 1] >> 30)) + k;
    uint s = 0;
    for (uint k = 0; k < count; k++) {
        uint one = s + 1, m = s + 9;
        if (one >= 19)
            one -= 19;
        if (m >= 19)
            m -= 19;
        uint x = (mt[s] & 0xfffffffe) | (mt[one] & 1);
        x = mt[m] ^ (x >> 1) ^ ((x & 1) ? a : 0);
        mt[s] = x;
        s = one;
        x ^= x >> 12;
        x ^= (x << 7) & 0x9d2c5680;
        x ^= (x << 15) & 0xefc60000;
        out[k * n + i] = x ^ (x >> 18);
    }
}
