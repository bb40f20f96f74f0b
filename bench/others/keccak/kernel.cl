constant ulong rounds[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};
constant uint turns[24] = {
    1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14,
    27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};
constant uint places[24] = {
    10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4,
    15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};

kernel void keccak(uint n, global const ulong *restrict message, global ulong *restrict digest)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    ulong a[25], c[5];
    for (uint k = 0; k < 8; k++)
        a[k] = message[i * 8 + k];
    for (uint k = 8; k < 25; k++)
        a[k] = 0;
    a[8] = 6;
    a[16] = 0x8000000000000000ul;
    for (uint r = 0; r < 24; r++) {
        for (uint k = 0; k < 5; k++)
            c[k] = a[k] ^ a[k + 5] ^ a[k + 10] ^ a[k + 15] ^ a[k + 20];
        for (uint k = 0; k < 5; k++) {
            ulong t = c[(k + 4) % 5] ^ rotate(c[(k + 1) % 5], 1ul);
            for (uint j = 0; j < 25; j += 5)
                a[j + k] ^= t;
        }
        ulong t = a[1];
        for (uint k = 0; k < 24; k++) {
            ulong kept = a[places[k]];
            a[places[k]] = rotate(t, (ulong)turns[k]);
            t = kept;
        }
        for (uint j = 0; j < 25; j += 5) {
            for (uint k = 0; k < 5; k++)
                c[k] = a[j + k];
            for (uint k = 0; k < 5; k++)
                a[j + k] ^= ~c[(k + 1) % 5] & c[(k + 2) % 5];
        }
        a[0] ^= rounds[r];
    }
    for (uint k = 0; k < 4; k++)
        digest[i * 4 + k] = a[k];
}
