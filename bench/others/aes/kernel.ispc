#define COLUMN(a, b, c, d, k) \
    (table[(int)((a) & 255)] ^ table[256 + (int)((b) >> 8 & 255)] \
     ^ table[512 + (int)((c) >> 16 & 255)] ^ table[768 + (int)((d) >> 24)] ^ key[4 * r + (k)])

export void aes(uniform int n, uniform int rounds, uniform const uint32 table[],
                uniform const uint32 key[], uniform const uint32 text[], uniform uint32 cipher[])
{
    foreach (i = 0 ... n) {
        uint32 s0 = text[4 * i] ^ key[0], s1 = text[4 * i + 1] ^ key[1];
        uint32 s2 = text[4 * i + 2] ^ key[2], s3 = text[4 * i + 3] ^ key[3];
        for (uniform int r = 1; r <= rounds; r++) {
            uint32 t0 = COLUMN(s0, s1, s2, s3, 0), t1 = COLUMN(s1, s2, s3, s0, 1);
            uint32 t2 = COLUMN(s2, s3, s0, s1, 2), t3 = COLUMN(s3, s0, s1, s2, 3);
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
}
