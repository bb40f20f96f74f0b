#define COLUMN(a, b, c, d, k) \
    (table[(a) & 255] ^ table[256 + ((b) >> 8 & 255)] ^ table[512 + ((c) >> 16 & 255)] \
     ^ table[768 + ((d) >> 24)] ^ key[4 * r + (k)])

kernel void aes(uint n, uint rounds, global const uint *restrict table,
                global const uint *restrict key, global const uint *restrict text,
                global uint *restrict cipher)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint s0 = text[4 * i] ^ key[0], s1 = text[4 * i + 1] ^ key[1];
    uint s2 = text[4 * i + 2] ^ key[2], s3 = text[4 * i + 3] ^ key[3];
    for (uint r = 1; r <= rounds; r++) {
        uint t0 = COLUMN(s0, s1, s2, s3, 0), t1 = COLUMN(s1, s2, s3, s0, 1);
        uint t2 = COLUMN(s2, s3, s0, s1, 2), t3 = COLUMN(s3, s0, s1, s2, 3);
        s0 = t0;
        s1 = t1;
        s2 = t2;
        s3 = t3;
    }
    cipher[4 * i] = s0;
    cipher[4 * i + 1] = s1;
    cipher[4 * i + 2] = s2;
    cipher[4 * i + 3] = s3;
}
