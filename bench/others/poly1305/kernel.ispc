export void poly1305(uniform int n, uniform const uint32 key[], uniform const uint32 message[],
                     uniform uint32 tag[])
{
    foreach (i = 0 ... n) {
        uint32 k0 = key[i * 8], k1 = key[i * 8 + 1], k2 = key[i * 8 + 2], k3 = key[i * 8 + 3];
        uint64 r0 = k0 & 0x3ffffff, r1 = ((k0 >> 26) | (k1 << 6)) & 0x3ffff03;
        uint64 r2 = ((k1 >> 20) | (k2 << 12)) & 0x3ffc0ff, r3 = ((k2 >> 14) | (k3 << 18)) & 0x3f03fff;
        uint64 r4 = (k3 >> 8) & 0xfffff;
        uint64 s1 = r1 * 5, s2 = r2 * 5, s3 = r3 * 5, s4 = r4 * 5;
        uint64 h0 = 0, h1 = 0, h2 = 0, h3 = 0, h4 = 0;
        for (uniform int b = 0; b < 4; b++) {
            uint32 m0 = message[i * 16 + b * 4], m1 = message[i * 16 + b * 4 + 1];
            uint32 m2 = message[i * 16 + b * 4 + 2], m3 = message[i * 16 + b * 4 + 3];
            h0 += m0 & 0x3ffffff;
            h1 += ((m0 >> 26) | (m1 << 6)) & 0x3ffffff;
            h2 += ((m1 >> 20) | (m2 << 12)) & 0x3ffffff;
            h3 += ((m2 >> 14) | (m3 << 18)) & 0x3ffffff;
            h4 += (m3 >> 8) | 0x1000000;
            uint64 d0 = h0 * r0 + h1 * s4 + h2 * s3 + h3 * s2 + h4 * s1;
            uint64 d1 = h0 * r1 + h1 * r0 + h2 * s4 + h3 * s3 + h4 * s2;
            uint64 d2 = h0 * r2 + h1 * r1 + h2 * r0 + h3 * s4 + h4 * s3;
            uint64 d3 = h0 * r3 + h1 * r2 + h2 * r1 + h3 * r0 + h4 * s4;
            uint64 d4 = h0 * r4 + h1 * r3 + h2 * r2 + h3 * r1 + h4 * r0;
            h0 = d0 & 0x3ffffff;
            d1 += d0 >> 26;
            h1 = d1 & 0x3ffffff;
            d2 += d1 >> 26;
            h2 = d2 & 0x3ffffff;
            d3 += d2 >> 26;
            h3 = d3 & 0x3ffffff;
            d4 += d3 >> 26;
            h4 = d4 & 0x3ffffff;
            h0 += (d4 >> 26) * 5;
            h1 += h0 >> 26;
            h0 &= 0x3ffffff;
        }
        h2 += h1 >> 26;
        h1 &= 0x3ffffff;
        h3 += h2 >> 26;
        h2 &= 0x3ffffff;
        h4 += h3 >> 26;
        h3 &= 0x3ffffff;
        h0 += (h4 >> 26) * 5;
        h4 &= 0x3ffffff;
        h1 += h0 >> 26;
        h0 &= 0x3ffffff;
        uint64 g0 = h0 + 5;
        uint64 g1 = h1 + (g0 >> 26);
        uint64 g2 = h2 + (g1 >> 26);
        uint64 g3 = h3 + (g2 >> 26);
        uint64 g4 = h4 + (g3 >> 26);
        if (g4 >= 0x4000000) {
            h0 = g0 & 0x3ffffff;
            h1 = g1 & 0x3ffffff;
            h2 = g2 & 0x3ffffff;
            h3 = g3 & 0x3ffffff;
            h4 = g4 & 0x3ffffff;
        }
        uint64 low = h0 | (h1 << 26) | (h2 << 52), high = (h2 >> 12) | (h3 << 14) | (h4 << 40);
        uint64 key_low = key[i * 8 + 4] | ((uint64)key[i * 8 + 5] << 32);
        uint64 key_high = key[i * 8 + 6] | ((uint64)key[i * 8 + 7] << 32);
        low += key_low;
        high += key_high;
        if (low < key_low)
            high++;
        tag[i * 4] = (uint32)low;
        tag[i * 4 + 1] = (uint32)(low >> 32);
        tag[i * 4 + 2] = (uint32)high;
        tag[i * 4 + 3] = (uint32)(high >> 32);
    }
}
