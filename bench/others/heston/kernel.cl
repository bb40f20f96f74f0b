float uniform_number(uint *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return ((float)(*state >> 8) + 0.5f) * 5.9604645e-8f;
}

kernel void heston(uint n, uint steps, global const uint *restrict seed,
                   global float *restrict payoff)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint state = seed[i];
    float logarithm = 0.0f, variance = 0.04f;
    for (uint k = 0; k < steps; k++) {
        float radius = sqrt(-2.0f * log(uniform_number(&state)));
        float angle = 6.2831853f * uniform_number(&state);
        float a = radius * cos(angle), b = radius * sin(angle);
        float positive = fmax(variance, 0.0f), noise = sqrt(positive * 0.03125f);
        logarithm += (0.02f - 0.5f * positive) * 0.03125f + noise * a;
        variance += 1.5f * (0.04f - positive) * 0.03125f + 0.3f * noise * (0.8f * b - 0.6f * a);
    }
    payoff[i] = fmax(100.0f * exp(logarithm) - 95.0f, 0.0f);
}
