float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float p = 1.330274429f;
    p = p * k - 1.821255978f;
    p = p * k + 1.781477937f;
    p = p * k - 0.356563782f;
    p = p * k + 0.319381530f;
    float tail = p * k * 0.39894228f * exp(-0.5f * d * d);
    return d > 0.0f ? 1.0f - tail : tail;
}

kernel void options(uint n, float rate, float volatility, global const float *restrict price,
                    global const float *restrict strike, global const float *restrict years,
                    global float *restrict call, global float *restrict put)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float spread = volatility * sqrt(years[i]);
    float drift = rate + 0.5f * volatility * volatility;
    float d1 = (log(price[i] / strike[i]) + drift * years[i]) / spread;
    float n1 = normal(d1), n2 = normal(d1 - spread);
    float present = strike[i] * exp(-rate * years[i]);
    call[i] = price[i] * n1 - present * n2;
    put[i] = present * (1.0f - n2) - price[i] * (1.0f - n1);
}
