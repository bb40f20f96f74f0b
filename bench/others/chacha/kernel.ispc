#define TURN(x, k) ((x) << (k) | (x) >> (32 - (k)))
#define QUARTER(a, b, c, d) \
    a += b; d = TURN(d ^ a, 16); c += d; b = TURN(b ^ c, 12); \
    a += b; d = TURN(d ^ a, 8); c += d; b = TURN(b ^ c, 7);

export void chacha(uniform int n, uniform const uint32 key[], uniform const uint32 nonce[],
                   uniform const uint32 text[], uniform uint32 cipher[])
{
    foreach (i = 0 ... n) {
        uint32 start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, key[0], key[1],
                            key[2], key[3], key[4], key[5], key[6], key[7], i, nonce[0],
                            nonce[1], nonce[2]};
        uint32 s[16];
        for (uniform int k = 0; k < 16; k++)
            s[k] = start[k];
        for (uniform int r = 0; r < 10; r++) {
            QUARTER(s[0], s[4], s[8], s[12])
            QUARTER(s[1], s[5], s[9], s[13])
            QUARTER(s[2], s[6], s[10], s[14])
            QUARTER(s[3], s[7], s[11], s[15])
            QUARTER(s[0], s[5], s[10], s[15])
            QUARTER(s[1], s[6], s[11], s[12])
            QUARTER(s[2], s[7], s[8], s[13])
            QUARTER(s[3], s[4], s[9], s[14])
        }
        for (uniform int k = 0; k < 16; k++)
            cipher[16 * i + k] = text[16 * i + k] ^ (s[k] + start[k]);
    }
}
