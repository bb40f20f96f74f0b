#define QUARTER(a, b, c, d) \
    a += b; d = rotate(d ^ a, 16u); c += d; b = rotate(b ^ c, 12u); \
    a += b; d = rotate(d ^ a, 8u); c += d; b = rotate(b ^ c, 7u);

kernel void chacha(uint n, global const uint *restrict key, global const uint *restrict nonce,
                   global const uint *restrict text, global uint *restrict cipher)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, key[0], key[1], key[2],
                      key[3], key[4], key[5], key[6], key[7], i, nonce[0], nonce[1], nonce[2]};
    uint s[16];
    for (int k = 0; k < 16; k++)
        s[k] = start[k];
    for (int r = 0; r < 10; r++) {
        QUARTER(s[0], s[4], s[8], s[12])
        QUARTER(s[1], s[5], s[9], s[13])
        QUARTER(s[2], s[6], s[10], s[14])
        QUARTER(s[3], s[7], s[11], s[15])
        QUARTER(s[0], s[5], s[10], s[15])
        QUARTER(s[1], s[6], s[11], s[12])
        QUARTER(s[2], s[7], s[8], s[13])
        QUARTER(s[3], s[4], s[9], s[14])
    }
    for (int k = 0; k < 16; k++)
        cipher[16 * i + k] = text[16 * i + k] ^ (s[k] + start[k]);
}
