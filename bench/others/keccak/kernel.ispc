static const uniform uint64 rounds[24] = {
    0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808aull,
    0x8000000080008000ull, 0x000000000000808bull, 0x0000000080000001ull,
    0x8000000080008081ull, 0x8000000000008009ull, 0x000000000000008aull,
    0x0000000000000088ull, 0x0000000080008009ull, 0x000000008000000aull,
    0x000000008000808bull, 0x800000000000008bull, 0x8000000000008089ull,
    0x8000000000008003ull, 0x8000000000008002ull, 0x8000000000000080ull,
    0x000000000000800aull, 0x800000008000000aull, 0x8000000080008081ull,
    0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull};
static const uniform int turns[24] = {
    1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14,
    27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};
static const uniform int places[24] = {
    10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4,
    15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};

static inline uint64 rotate(uint64 x, uniform int by)
{
    return (x << by) | (x >> (64 - by));
}

export void keccak(uniform int n, uniform const uint64 message[], uniform uint64 digest[])
{
    foreach (i = 0 ... n) {
        uint64 a[25], c[5];
        for (uniform int k = 0; k < 8; k++)
            a[k] = message[i * 8 + k];
        for (uniform int k = 8; k < 25; k++)
            a[k] = 0;
        a[8] = 6;
        a[16] = 0x8000000000000000ull;
        for (uniform int r = 0; r < 24; r++) {
            for (uniform int k = 0; k < 5; k++)
                c[k] = a[k] ^ a[k + 5] ^ a[k + 10] ^ a[k + 15] ^ a[k + 20];
            for (uniform int k = 0; k < 5; k++) {
                uint64 t = c[(k + 4) % 5] ^ rotate(c[(k + 1) % 5], 1);
                for (uniform int j = 0; j < 25; j += 5)
                    a[j + k] ^= t;
            }
            uint64 t = a[1];
            for (uniform int k = 0; k < 24; k++) {
                uint64 kept = a[places[k]];
                a[places[k]] = rotate(t, turns[k]);
                t = kept;
            }
            for (uniform int j = 0; j < 25; j += 5) {
                for (uniform int k = 0; k < 5; k++)
                    c[k] = a[j + k];
                for (uniform int k = 0; k < 5; k++)
                    a[j + k] ^= ~c[(k + 1) % 5] & c[(k + 2) % 5];
            }
            a[0] ^= rounds[r];
        }
        for (uniform int k = 0; k < 4; k++)
            digest[i * 4 + k] = a[k];
    }
}
