export void dcmt(uniform int n, uniform int count, uniform const uint32 seed[],
                 uniform const uint32 matrix[], uniform uint32 result[])
{
    foreach (i = 0 ... n) {
        uint32 mt[19], a = matrix[i];
        mt[0] = seed[i];
        for (uniform int k = 1; k < 19; k++)
            mt[k] = 1812433253u * (mt[k - 1] ^ (mt[k - 1] >> 30)) + k;
        uniform int s = 0;
        for (uniform int k = 0; k < count; k++) {
            uniform int one = s + 1, m = s + 9;
            if (one >= 19)
                one -= 19;
            if (m >= 19)
                m -= 19;
            uint32 x = (mt[s] & 0xfffffffe) | (mt[one] & 1);
            x = mt[m] ^ (x >> 1) ^ ((x & 1) ? a : 0);
            mt[s] = x;
            s = one;
            x ^= x >> 12;
            x ^= (x << 7) & 0x9d2c5680;
            x ^= (x << 15) & 0xefc60000;
            result[k * n + i] = x ^ (x >> 18);
        }
    }
}
