#define WORDS 8

export void descriptors(uniform int queries, uniform int known, uniform const uint32 query[],
                    uniform const uint32 table[], uniform uint32 nearest[])
{
    foreach (q = 0 ... queries) {
        uint32 words[WORDS], which = 0, distance = 0xffffffff;
        for (uniform int k = 0; k < WORDS; k++)
            words[k] = query[q * WORDS + k];
        for (uniform int d = 0; d < known; d++) {
            uint32 bits = 0;
            for (uniform int k = 0; k < WORDS; k++)
                bits += popcnt((int)(words[k] ^ table[d * WORDS + k]));
            if (bits < distance) {
                distance = bits;
                which = d;
            }
        }
        nearest[2 * q] = which;
        nearest[2 * q + 1] = distance;
    }
}
