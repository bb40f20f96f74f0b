#include <math.h>
#include <stdint.h>
#include <string.h>

static float as_float(int32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int32_t as_int(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float exponential(float x)
{
    float k = rintf(x * 1.44269504f), f = x - k * 0.693147182f;
    float p = 0.00138888889f;
    p = p * f + 0.00833333333f;
    p = p * f + 0.0416666667f;
    p = p * f + 0.166666667f;
    p = p * f + 0.5f;
    p = p * f + 1.0f;
    p = p * f + 1.0f;
    return p * as_float(((int)k + 127) << 23);
}

static float logarithm(float x)
{
    int bits = as_int(x);
    float m = as_float((bits & 0x7fffff) | 0x3f800000), t = (m - 1.0f) / (m + 1.0f), s = t * t;
    float p = 0.111111111f;
    p = p * s + 0.142857143f;
    p = p * s + 0.2f;
    p = p * s + 0.333333333f;
    p = p * s + 1.0f;
    return (float)((bits >> 23) - 127) * 0.693147182f + 2.0f * t * p;
}

static float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float p = 1.330274429f;
    p = p * k - 1.821255978f;
    p = p * k + 1.781477937f;
    p = p * k - 0.356563782f;
    p = p * k + 0.319381530f;
    float tail = p * k * 0.39894228f * exponential(-0.5f * d * d);
    return d > 0.0f ? 1.0f - tail : tail;
}

void blackscholes(uint32_t n, float rate, float volatility, const float *restrict price,
                  const float *restrict strike, const float *restrict years, float *restrict call,
                  float *restrict put)
{
    for (uint32_t i = 0; i < n; i++) {
        float spread = volatility * sqrtf(years[i]);
        float drift = rate + 0.5f * volatility * volatility;
        float d1 = (logarithm(price[i] / strike[i]) + drift * years[i]) / spread;
        float n1 = normal(d1), n2 = normal(d1 - spread);
        float present = strike[i] * exponential(-rate * years[i]);
        call[i] = price[i] * n1 - present * n2;
        put[i] = present * (1.0f - n2) - price[i] * (1.0f - n1);
    }
}
