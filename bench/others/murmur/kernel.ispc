static inline uint32 rotate(uint32 x, uniform int by)
{
    return (x << by) | (x >> (32 - by));
}

export void murmur(uniform int n, uniform uint32 seed, uniform const uint32 first[],
                   uniform const uint32 second[], uniform const uint32 third[],
                   uniform uint32 hash[])
{
    foreach (i = 0 ... n) {
        uint32 h = seed;
        for (uniform int k = 0; k < 3; k++) {
            uint32 word = k == 0 ? first[i] : k == 1 ? second[i] : third[i];
            word = rotate(word * 0xcc9e2d51, 15) * 0x1b873593;
            h = rotate(h ^ word, 13) * 5 + 0xe6546b64;
        }
        h ^= 12;
        h = (h ^ h >> 16) * 0x85ebca6b;
        h = (h ^ h >> 13) * 0xc2b2ae35;
        hash[i] = h ^ h >> 16;
    }
}
