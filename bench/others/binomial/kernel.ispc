export void binomial(uniform int n, uniform int steps, uniform float up, uniform float down,
                     uniform float chance, uniform float discount, uniform const float price[],
                     uniform const float strike[], uniform float worth[])
{
    foreach (i = 0 ... n) {
        float value[64];
        float lowest = price[i];
        for (uniform int k = 0; k < steps; k++)
            lowest *= down;
        float now = lowest;
        for (uniform int k = 0; k <= steps; k++) {
            value[k] = max(strike[i] - now, 0.0f);
            now *= up * up;
        }
        for (uniform int step = steps; step > 0; step--) {
            lowest *= up;
            now = lowest;
            for (uniform int k = 0; k < step; k++) {
                float kept = discount * (chance * value[k + 1] + (1.0f - chance) * value[k]);
                value[k] = max(strike[i] - now, kept);
                now *= up * up;
            }
        }
        worth[i] = value[0];
    }
}
