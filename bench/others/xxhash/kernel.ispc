static const uniform uint32 P1 = 2654435761u, P2 = 2246822519u, P3 = 3266489917u;

static inline uint32 turned(uint32 x, uniform uint32 r)
{
    return x << r | x >> (32 - r);
}

export void xxhash(uniform int n, uniform uint32 seed, uniform const uint32 data[],
                   uniform uint32 hash[])
{
    foreach (i = 0 ... n) {
        uint32 a = seed + P1 + P2, b = seed + P2, c = seed, d = seed - P1;
        for (uniform int k = 0; k < 16; k += 4) {
            a = turned(a + data[i * 16 + k] * P2, 13) * P1;
            b = turned(b + data[i * 16 + k + 1] * P2, 13) * P1;
            c = turned(c + data[i * 16 + k + 2] * P2, 13) * P1;
            d = turned(d + data[i * 16 + k + 3] * P2, 13) * P1;
        }
        uint32 h = turned(a, 1) + turned(b, 7) + turned(c, 12) + turned(d, 18) + 64;
        h = (h ^ h >> 15) * P2;
        h = (h ^ h >> 13) * P3;
        hash[i] = h ^ h >> 16;
    }
}
