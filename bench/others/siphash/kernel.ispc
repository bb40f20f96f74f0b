#define TURN(x, k) ((x) << (k) | (x) >> (64 - (k)))
#define ROUND \
    v0 += v1; v1 = TURN(v1, 13) ^ v0; v0 = TURN(v0, 32); \
    v2 += v3; v3 = TURN(v3, 16) ^ v2; \
    v0 += v3; v3 = TURN(v3, 21) ^ v0; \
    v2 += v1; v1 = TURN(v1, 17) ^ v2; v2 = TURN(v2, 32);

export void siphash(uniform int n, uniform const uint64 key[], uniform const uint64 x[],
                    uniform uint64 y[])
{
    foreach (i = 0 ... n) {
        uint64 v0 = key[0] ^ 0x736f6d6570736575, v1 = key[1] ^ 0x646f72616e646f6d;
        uint64 v2 = key[0] ^ 0x6c7967656e657261, v3 = key[1] ^ 0x7465646279746573;
        for (uniform int k = 0; k < 3; k++) {
            uint64 word = (uint64)16 << 56;
            if (k < 2)
                word = x[2 * i + k];
            v3 ^= word;
            ROUND
            ROUND
            v0 ^= word;
        }
        v2 ^= 255;
        for (uniform int k = 0; k < 4; k++) {
            ROUND
        }
        y[i] = v0 ^ v1 ^ v2 ^ v3;
    }
}
