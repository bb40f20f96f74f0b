static inline float normal(float x)
{
    float k = 1.0f / (1.0f + 0.2316419f * abs(x));
    float sum = ((((1.330274429f * k - 1.821255978f) * k + 1.781477937f) * k - 0.356563782f) * k
                 + 0.319381530f) * k;
    float tail = 0.39894228f * exp(-0.5f * x * x) * sum;
    return x > 0.0f ? 1.0f - tail : tail;
}

export void impliedvol(uniform int n, uniform float rate, uniform const float spot[],
                       uniform const float strike[], uniform const float years[],
                       uniform const float price[], uniform float volatility[])
{
    foreach (i = 0 ... n) {
        float s = spot[i], root = sqrt(years[i]), paid = price[i];
        float ratio = log(s / strike[i]), present = strike[i] * exp(-rate * years[i]), v = 0.3f;
        for (uniform int k = 0; k < 20; k++) {
            float wide = v * root;
            float d1 = (ratio + (rate + 0.5f * v * v) * years[i]) / wide;
            float off = s * normal(d1) - present * normal(d1 - wide) - paid;
            if (abs(off) < 1e-3f)
                break;
            float vega = s * root * 0.39894228f * exp(-0.5f * d1 * d1);
            v = min(max(v - off / max(vega, 0.01f), 0.01f), 3.0f);
        }
        volatility[i] = v;
    }
}
