static inline uint32 popcount(uint32 x)
{
    return popcnt((int)x);
}

export void bcjr(uniform int n, uniform int length, uniform const float soft[],
                 uniform const float parity[], uniform float result[])
{
    foreach (i = 0 ... n) {
        float ahead[8], back[8], next[8], kept[256];
        for (uniform uint32 s = 0; s < 8; s++) {
            ahead[s] = s == 0 ? 0.0f : -100.0f;
            back[s] = 0.0f;
        }
        for (uniform uint32 t = 0; t < length; t++) {
            float a = soft[t * n + i], b = parity[t * n + i];
            for (uniform uint32 s = 0; s < 8; s++)
                kept[t * 8 + s] = ahead[s];
            for (uniform uint32 s = 0; s < 8; s++) {
                uint32 from = s / 2;
                float sign = popcount(s & 5) % 2 == 0 ? b : -b;
                float zero = ahead[from] + sign - a, one = ahead[from + 4] - sign + a;
                next[s] = max(zero, one);
            }
            for (uniform uint32 s = 0; s < 8; s++)
                ahead[s] = next[s];
        }
        for (uniform uint32 k = 0; k < length; k++) {
            uint32 t = length - 1 - k;
            float a = soft[t * n + i], b = parity[t * n + i];
            float best = -1000.0f, other = -1000.0f;
            for (uniform uint32 s = 0; s < 8; s++) {
                float sign = popcount(s & 5) % 2 == 0 ? b : -b;
                other = max(other, kept[t * 8 + s / 2] + sign - a + back[s]);
                best = max(best, kept[t * 8 + s / 2 + 4] - sign + a + back[s]);
            }
            result[t * n + i] = best - other;
            for (uniform uint32 s = 0; s < 4; s++) {
                float first = popcount(s * 2 & 5) % 2 == 0 ? b : -b;
                float second = popcount(s * 2 + 1 & 5) % 2 == 0 ? b : -b;
                next[s] = max(first - a + back[s * 2], second - a + back[s * 2 + 1]);
                next[s + 4] = max(a - first + back[s * 2], a - second + back[s * 2 + 1]);
            }
            for (uniform uint32 s = 0; s < 8; s++)
                back[s] = next[s];
        }
    }
}
