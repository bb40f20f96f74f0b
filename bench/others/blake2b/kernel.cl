constant ulong initial[8] = {
    0x6a09e667f3bcc908ul, 0xbb67ae8584caa73bul, 0x3c6ef372fe94f82bul, 0xa54ff53a5f1d36f1ul,
    0x510e527fade682d1ul, 0x9b05688c2b3e6c1ful, 0x1f83d9abfb41bd6bul, 0x5be0cd19137e2179ul};
constant uint sigma[192] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
    11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4,
    7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
    9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13,
    2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
    12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11,
    13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
    6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5,
    10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3};
constant uint places[32] = {
    0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,
    0, 5, 10, 15, 1, 6, 11, 12, 2, 7, 8, 13, 3, 4, 9, 14};

ulong turn(ulong x, int by)
{
    return (x >> by) | (x << (64 - by));
}

kernel void blake2b(uint n, global const ulong *restrict message, global ulong *restrict digest)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    ulong m[16], v[16];
    for (int k = 0; k < 16; k++)
        m[k] = message[i * 16 + k];
    for (int k = 0; k < 8; k++) {
        v[k] = initial[k];
        v[k + 8] = initial[k];
    }
    v[0] ^= 0x01010040;
    v[12] ^= 128;
    v[14] = ~v[14];
    for (int r = 0; r < 12; r++)
        for (int g = 0; g < 8; g++) {
            int a = places[g * 4], b = places[g * 4 + 1];
            int c = places[g * 4 + 2], d = places[g * 4 + 3];
            v[a] = v[a] + v[b] + m[sigma[r * 16 + g * 2]];
            v[d] = turn(v[d] ^ v[a], 32);
            v[c] = v[c] + v[d];
            v[b] = turn(v[b] ^ v[c], 24);
            v[a] = v[a] + v[b] + m[sigma[r * 16 + g * 2 + 1]];
            v[d] = turn(v[d] ^ v[a], 16);
            v[c] = v[c] + v[d];
            v[b] = turn(v[b] ^ v[c], 63);
        }
    for (int k = 0; k < 8; k++) {
        ulong h = initial[k];
        if (k == 0)
            h ^= 0x01010040;
        digest[i * 8 + k] = h ^ v[k] ^ v[k + 8];
    }
}
