import numpy as np
from numba import njit

f32, i32 = np.float32, np.int32
compiled = njit(error_model="numpy", fastmath={"contract"})


@compiled
def exponential(x):
    k = np.rint(x * f32(1.44269504))
    f = x - k * f32(0.693147182)
    p = f32(0.00138888889)
    p = p * f + f32(0.00833333333)
    p = p * f + f32(0.0416666667)
    p = p * f + f32(0.166666667)
    p = p * f + f32(0.5)
    p = p * f + f32(1)
    p = p * f + f32(1)
    return p * i32((i32(k) + 127) << 23).view(f32)


@compiled
def logarithm(x):
    bits = f32(x).view(i32)
    m = i32((bits & 0x7FFFFF) | 0x3F800000).view(f32)
    t = (m - f32(1)) / (m + f32(1))
    s = t * t
    p = f32(0.111111111)
    p = p * s + f32(0.142857143)
    p = p * s + f32(0.2)
    p = p * s + f32(0.333333333)
    p = p * s + f32(1)
    return f32((bits >> 23) - 127) * f32(0.693147182) + f32(2) * t * p


@compiled
def normal(d):
    k = f32(1) / (f32(1) + f32(0.2316419) * abs(d))
    p = f32(1.330274429)
    p = p * k - f32(1.821255978)
    p = p * k + f32(1.781477937)
    p = p * k - f32(0.356563782)
    p = p * k + f32(0.319381530)
    tail = p * k * f32(0.39894228) * exponential(f32(-0.5) * d * d)
    return f32(1) - tail if d > 0 else tail


def blackscholes(n, rate, volatility, price, strike, years, call, put):
    one = f32(1)
    for i in range(n):
        spread = volatility * np.sqrt(years[i])
        drift = rate + f32(0.5) * volatility * volatility
        d1 = (logarithm(price[i] / strike[i]) + drift * years[i]) / spread
        n1, n2 = normal(d1), normal(d1 - spread)
        present = strike[i] * exponential(-rate * years[i])
        call[i] = price[i] * n1 - present * n2
        put[i] = present * (one - n2) - price[i] * (one - n1)
