static inline float cubic(float x, float p, float q)
{
    return (x * x + p) * x - q;
}

export void brent(uniform int n, uniform const float ps[], uniform const float qs[],
                  uniform float root[])
{
    foreach (i = 0 ... n) {
        float p = ps[i], q = qs[i];
        float a = 0.0f, b = 4.0f;
        float fa = cubic(a, p, q), fb = cubic(b, p, q);
        float c = a, fc = fa, d = b - a;
        float e = d;
        for (uniform int k = 0; k < 60; k++) {
            if (fb * fc > 0) {
                c = a;
                fc = fa;
                d = e = b - a;
            }
            if (abs(fc) < abs(fb)) {
                a = b;
                b = c;
                c = a;
                fa = fb;
                fb = fc;
                fc = fa;
            }
            float m = 0.5f * (c - b);
            if (abs(m) <= 1e-5f || fb == 0)
                break;
            if (abs(e) < 1e-5f || abs(fa) <= abs(fb)) {
                d = e = m;
            } else {
                float s = fb / fa, t, u;
                if (a == c) {
                    t = 2 * m * s;
                    u = 1 - s;
                } else {
                    float v = fa / fc, w = fb / fc;
                    t = s * (2 * m * v * (v - w) - (b - a) * (w - 1));
                    u = (v - 1) * (w - 1) * (s - 1);
                }
                if (t > 0)
                    u = -u;
                else
                    t = -t;
                if (2 * t < min(3 * m * u - abs(1e-5f * u), abs(e * u))) {
                    e = d;
                    d = t / u;
                } else {
                    d = e = m;
                }
            }
            a = b;
            fa = fb;
            if (abs(d) > 1e-5f)
                b += d;
            else
                b += m > 0 ? 1e-5f : -1e-5f;
            fb = cubic(b, p, q);
        }
        root[i] = b;
    }
}
