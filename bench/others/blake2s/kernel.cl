#define TURN(x, r) ((x) >> (r) | (x) << (32 - (r)))
#define MIX(a, b, c, d, k) \
    a += b + m[order[round * 16 + 2 * (k)]]; d = TURN(d ^ a, 16); c += d; b = TURN(b ^ c, 12); \
    a += b + m[order[round * 16 + 2 * (k) + 1]]; d = TURN(d ^ a, 8); c += d; b = TURN(b ^ c, 7)

kernel void blake2s(uint n, global const uint *restrict order, global const uint *restrict text,
                    global uint *restrict hash)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    global const uint *m = text + i * 16;
    const uint iv0 = 0x6a09e667, iv1 = 0xbb67ae85, iv2 = 0x3c6ef372, iv3 = 0xa54ff53a;
    const uint iv4 = 0x510e527f, iv5 = 0x9b05688c, iv6 = 0x1f83d9ab, iv7 = 0x5be0cd19;
    uint v0 = iv0 ^ 0x01010020, v1 = iv1, v2 = iv2, v3 = iv3, v4 = iv4, v5 = iv5, v6 = iv6, v7 = iv7;
    uint v8 = iv0, v9 = iv1, v10 = iv2, v11 = iv3, v12 = iv4 ^ 64, v13 = iv5, v14 = ~iv6, v15 = iv7;
    for (uint round = 0; round < 10; round++) {
        MIX(v0, v4, v8, v12, 0);
        MIX(v1, v5, v9, v13, 1);
        MIX(v2, v6, v10, v14, 2);
        MIX(v3, v7, v11, v15, 3);
        MIX(v0, v5, v10, v15, 4);
        MIX(v1, v6, v11, v12, 5);
        MIX(v2, v7, v8, v13, 6);
        MIX(v3, v4, v9, v14, 7);
    }
    hash[i * 8] = iv0 ^ 0x01010020 ^ v0 ^ v8;
    hash[i * 8 + 1] = iv1 ^ v1 ^ v9;
    hash[i * 8 + 2] = iv2 ^ v2 ^ v10;
    hash[i * 8 + 3] = iv3 ^ v3 ^ v11;
    hash[i * 8 + 4] = iv4 ^ v4 ^ v12;
    hash[i * 8 + 5] = iv5 ^ v5 ^ v13;
    hash[i * 8 + 6] = iv6 ^ v6 ^ v14;
    hash[i * 8 + 7] = iv7 ^ v7 ^ v15;
}
