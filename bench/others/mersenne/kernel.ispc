/* A twister at a time: a barrier is the end of a foreach. */
export void mersenne(uniform int rounds, uniform const uint32 seed[], uniform uint32 out[],
                     uniform int streams)
{
    for (uniform int g = 0; g < streams; g++) {
        uniform uint32 state[624], fresh[208];
        foreach (k = 0 ... 624)
            state[k] = seed[g * 624 + k];
        for (uniform int round = 0; round < rounds; round++) {
            for (uniform int part = 0; part < 3; part++) {
                foreach (l = 0 ... 208) {
                    int k = part * 208 + l;
                    int next = k + 1 == 624 ? 0 : k + 1;
                    int far = k + 397 >= 624 ? k - 227 : k + 397;
                    uint32 y = (state[k] & 0x80000000u) | (state[next] & 0x7fffffffu);
                    fresh[l] = state[far] ^ (y >> 1) ^ ((y & 1) * 0x9908b0dfu);
                }
                foreach (l = 0 ... 208) {
                    int k = part * 208 + l;
                    uint32 v = fresh[l];
                    state[k] = v;
                    v = v ^ (v >> 11);
                    v = v ^ ((v << 7) & 0x9d2c5680u);
                    v = v ^ ((v << 15) & 0xefc60000u);
                    v = v ^ (v >> 18);
                    out[(g * rounds + round) * 624 + k] = v;
                }
            }
        }
    }
}
