static inline float uniform_number(unsigned int &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return ((float)(state >> 8) + 0.5f) * 5.9604645e-8f;
}

export void heston(uniform int n, uniform int steps, uniform const uint32 seed[],
                   uniform float payoff[])
{
    foreach (i = 0 ... n) {
        unsigned int state = seed[i];
        float logarithm = 0.0f, variance = 0.04f;
        for (uniform int k = 0; k < steps; k++) {
            float radius = sqrt(-2.0f * log(uniform_number(state)));
            float angle = 6.2831853f * uniform_number(state);
            float a = radius * cos(angle), b = radius * sin(angle);
            float positive = max(variance, 0.0f);
            float noise = sqrt(positive * 0.03125f);
            logarithm += (0.02f - 0.5f * positive) * 0.03125f + noise * a;
            variance += 1.5f * (0.04f - positive) * 0.03125f + 0.3f * noise * (0.8f * b - 0.6f * a);
        }
        payoff[i] = max(100.0f * exp(logarithm) - 95.0f, 0.0f);
    }
}
