#define P1 2654435761u
#define P2 2246822519u
#define P3 3266489917u

uint turned(uint x, uint r)
{
    return x << r | x >> (32 - r);
}

kernel void xxhash(uint n, uint seed, global const uint *restrict data, global uint *restrict hash)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint a = seed + P1 + P2, b = seed + P2, c = seed, d = seed - P1;
    for (uint k = 0; k < 16; k += 4) {
        a = turned(a + data[i * 16 + k] * P2, 13) * P1;
        b = turned(b + data[i * 16 + k + 1] * P2, 13) * P1;
        c = turned(c + data[i * 16 + k + 2] * P2, 13) * P1;
        d = turned(d + data[i * 16 + k + 3] * P2, 13) * P1;
    }
    uint h = turned(a, 1) + turned(b, 7) + turned(c, 12) + turned(d, 18) + 64;
    h = (h ^ h >> 15) * P2;
    h = (h ^ h >> 13) * P3;
    hash[i] = h ^ h >> 16;
}
