kernel void binomial(uint n, uint steps, float up, float down, float chance, float discount,
                     global const float *restrict price, global const float *restrict strike,
                     global float *restrict worth)
{
    float value[64];
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float lowest = price[i];
    for (uint k = 0; k < steps; k++)
        lowest *= down;
    float now = lowest;
    for (uint k = 0; k <= steps; k++) {
        value[k] = fmax(strike[i] - now, 0.0f);
        now *= up * up;
    }
    for (uint step = steps; step > 0; step--) {
        lowest *= up;
        now = lowest;
        for (uint k = 0; k < step; k++) {
            float kept = discount * (chance * value[k + 1] + (1.0f - chance) * value[k]);
            value[k] = fmax(strike[i] - now, kept);
            now *= up * up;
        }
    }
    worth[i] = value[0];
}
