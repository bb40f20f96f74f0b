export void philox(uniform int n, uniform uint32 first, uniform uint32 second,
                   uniform uint32 words[])
{
    foreach (i = 0 ... n) {
        uniform uint32 one = first, two = second;
        uint32 a = i, b = 0, c = 0, d = 0;
        for (uniform int round = 0; round < 10; round++) {
            uint64 p = (uint64)a * 0xD2511F53, q = (uint64)c * 0xCD9E8D57;
            a = (uint32)(q >> 32) ^ b ^ one;
            b = (uint32)q;
            c = (uint32)(p >> 32) ^ d ^ two;
            d = (uint32)p;
            one += 0x9E3779B9;
            two += 0xBB67AE85;
        }
        words[i] = a;
        words[n + i] = b;
        words[2 * n + i] = c;
        words[3 * n + i] = d;
    }
}
