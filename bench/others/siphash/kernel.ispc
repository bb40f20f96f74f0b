static inline uint64 rotate(uint64 x, uniform int by)
{
    return (x << by) | (x >> (64 - by));
}

static inline void round(uint64 &a, uint64 &b, uint64 &c, uint64 &d)
{
    a += b;
    c += d;
    b = rotate(b, 13) ^ a;
    d = rotate(d, 16) ^ c;
    a = rotate(a, 32);
    c += b;
    a += d;
    b = rotate(b, 17) ^ c;
    d = rotate(d, 21) ^ a;
    c = rotate(c, 32);
}

export void siphash(uniform int n, uniform const uint64 key[], uniform const uint64 first[],
                    uniform const uint64 second[], uniform uint64 hash[])
{
    foreach (i = 0 ... n) {
        uint64 a = 0x736f6d6570736575ull ^ key[0], b = 0x646f72616e646f6dull ^ key[1];
        uint64 c = 0x6c7967656e657261ull ^ key[0], d = 0x7465646279746573ull ^ key[1];
        for (uniform int k = 0; k < 3; k++) {
            uint64 word = k == 0 ? first[i] : k == 1 ? second[i] : (uint64)16 << 56;
            d ^= word;
            for (uniform int r = 0; r < 2; r++)
                round(a, b, c, d);
            a ^= word;
        }
        c ^= 0xff;
        for (uniform int r = 0; r < 4; r++)
            round(a, b, c, d);
        hash[i] = a ^ b ^ c ^ d;
    }
}
