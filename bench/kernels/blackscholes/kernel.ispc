static inline float exponential(float x)
{
    float k = round(x * 1.44269504f);
    float f = x - k * 0.693147182f;
    float p = 0.00138888889f;
    p = p * f + 0.00833333333f;
    p = p * f + 0.0416666667f;
    p = p * f + 0.166666667f;
    p = p * f + 0.5f;
    p = p * f + 1.0f;
    p = p * f + 1.0f;
    return p * floatbits(((int)k + 127) << 23);
}

static inline float logarithm(float x)
{
    int bits = intbits(x);
    float m = floatbits((bits & 0x7fffff) | 0x3f800000);
    float t = (m - 1.0f) / (m + 1.0f);
    float s = t * t;
    float p = 0.111111111f;
    p = p * s + 0.142857143f;
    p = p * s + 0.2f;
    p = p * s + 0.333333333f;
    p = p * s + 1.0f;
    return (float)((bits >> 23) - 127) * 0.693147182f + 2.0f * t * p;
}

static inline float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * abs(d));
    float p = 1.330274429f;
    p = p * k - 1.821255978f;
    p = p * k + 1.781477937f;
    p = p * k - 0.356563782f;
    p = p * k + 0.319381530f;
    float tail = p * k * 0.39894228f * exponential(-0.5f * d * d);
    return d > 0.0f ? 1.0f - tail : tail;
}

export void blackscholes(uniform int n, uniform float rate, uniform float volatility,
                         uniform const float price[], uniform const float strike[],
                         uniform const float years[], uniform float call[], uniform float put[])
{
    foreach (i = 0 ... n) {
        float spread = volatility * sqrt(years[i]);
        float drift = rate + 0.5f * volatility * volatility;
        float d1 = (logarithm(price[i] / strike[i]) + drift * years[i]) / spread;
        float n1 = normal(d1), n2 = normal(d1 - spread);
        float present = strike[i] * exponential(-rate * years[i]);
        call[i] = price[i] * n1 - present * n2;
        put[i] = present * (1.0f - n2) - price[i] * (1.0f - n1);
    }
}
