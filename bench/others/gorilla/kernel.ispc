export void gorilla(uniform int n, uniform int words, uniform const uint32 stream[],
                    uniform uint32 values[])
{
    foreach (i = 0 ... n) {
        uint32 from = i * words, bit = 0;
        uint32 last = stream[from], leading = 0, size = 0;
        from++;
        values[i * 32] = last;
        for (uniform uint32 k = 1; k < 32; k++) {
            uint64 window = (uint64)stream[from] << 32 | (uint64)stream[from + 1];
            window = window << bit;
            if (window >> 63 == 0) {
                bit += 1;
            } else {
                bit += 2;
                if (window >> 62 == 3) {
                    leading = (uint32)(window >> 57) & 31;
                    size = ((uint32)(window >> 52) & 31) + 1;
                    bit += 10;
                    if (bit >= 32) {
                        bit -= 32;
                        from++;
                    }
                    window = (uint64)stream[from] << 32 | (uint64)stream[from + 1];
                    window = window << bit;
                } else {
                    window = window << 2;
                }
                last ^= (uint32)(window >> (64 - size)) << (32 - leading - size);
                bit += size;
            }
            if (bit >= 32) {
                bit -= 32;
                from++;
            }
            values[i * 32 + k] = last;
        }
    }
}
