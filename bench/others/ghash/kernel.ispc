export void ghash(uniform int n, uniform int blocks, uniform const uint64 h[],
                  uniform const uint64 data[], uniform uint64 tag[])
{
    foreach (i = 0 ... n) {
        uint64 high = 0, low = 0;
        for (uniform int b = 0; b < blocks; b++) {
            high ^= data[2 * (i * blocks + b)];
            low ^= data[2 * (i * blocks + b) + 1];
            uint64 zh = 0, zl = 0;
            uniform uint64 vh = h[0], vl = h[1];
            for (uniform int bit = 0; bit < 128; bit++) {
                if ((int64)high < 0) {
                    zh ^= vh;
                    zl ^= vl;
                }
                high = (high << 1) | (low >> 63);
                low <<= 1;
                uniform uint64 odd = vl & 1;
                vl = (vl >> 1) | (vh << 63);
                vh >>= 1;
                if (odd)
                    vh ^= 0xe100000000000000;
            }
            high = zh;
            low = zl;
        }
        tag[2 * i] = high;
        tag[2 * i + 1] = low;
    }
}
