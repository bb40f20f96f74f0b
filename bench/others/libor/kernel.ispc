export void libor(uniform int n, uniform const float normal[], uniform const float volatility[],
                  uniform float value[])
{
    foreach (i = 0 ... n) {
        float rate[20];
        for (uniform int k = 0; k < 20; k++)
            rate[k] = 0.05f;
        for (uniform int step = 0; step < 10; step++) {
            float z = normal[step * n + i] * 0.5f;
            float drift = 0.0f;
            for (uniform int k = step + 1; k < 20; k++) {
                uniform float vol = volatility[k - step - 1];
                uniform float share = 0.25f * vol;
                drift += share * rate[k] / (1.0f + 0.25f * rate[k]);
                rate[k] = rate[k] * exp(((drift * vol * 1.0f
                    + vol * (z - 0.125f * vol)) * 1.442695f) * 0.69314718f);
            }
        }
        float bond = 1.0f;
        float swap = 0.0f;
        float total = 0.0f;
        for (uniform int k = 10; k < 20; k++) {
            bond = bond / (1.0f + 0.25f * rate[k]);
            swap += 0.25f * bond;
            uniform float strike = 0.045f + 0.0005f * ((float)(k - 10));
            float payoff = bond + strike * swap - 1.0f;
            if (payoff < 0.0f)
                total -= 100.0f * payoff;
        }
        value[i] = total;
    }
}
