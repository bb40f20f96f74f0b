kernel void libor(uint n, global const float *restrict normal,
                  global const float *restrict volatility, global float *restrict value)
{
    if (get_global_id(0) >= n)
        return;
    uint i = get_global_id(0);
    float rate[20];
    for (uint k = 0; k < 20; k++)
        rate[k] = 0.05f;
    for (uint step = 0; step < 10; step++) {
        float z = normal[step * n + i] * 0.5f;
        float drift = 0.0f;
        for (uint k = step + 1; k < 20; k++) {
            float vol = volatility[k - step - 1];
            float share = 0.25f * vol;
            drift += share * rate[k] / (1.0f + 0.25f * rate[k]);
            rate[k] = rate[k] * exp2((drift * vol * 1.0f + vol * (z - 0.125f * vol)) * 1.442695f);
        }
    }
    float bond = 1.0f;
    float swap = 0.0f;
    float total = 0.0f;
    for (uint k = 10; k < 20; k++) {
        bond = bond / (1.0f + 0.25f * rate[k]);
        swap += 0.25f * bond;
        float strike = 0.045f + 0.0005f * ((float)(k - 10));
        float payoff = bond + strike * swap - 1.0f;
        if (payoff < 0.0f)
            total -= 100.0f * payoff;
    }
    value[i] = total;
}
