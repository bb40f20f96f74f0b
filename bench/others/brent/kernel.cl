float f(float x, float p, float q)
{
    return (x * x + p) * x - q;
}

kernel void brent(uint n, global const float *restrict ps, global const float *restrict qs,
                  global float *restrict root)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float p = ps[i], q = qs[i];
    float a = 0.0f, b = 4.0f, fa = f(a, p, q), fb = f(b, p, q);
    float c = a, fc = fa, d = b - a, e = d;
    for (uint k = 0; k < 60; k++) {
        if (fb * fc > 0) {
            c = a;
            fc = fa;
            d = e = b - a;
        }
        if (fabs(fc) < fabs(fb)) {
            a = b;
            b = c;
            c = a;
            fa = fb;
            fb = fc;
            fc = fa;
        }
        float m = 0.5f * (c - b);
        if (fabs(m) <= 1e-5f || fb == 0)
            break;
        if (fabs(e) < 1e-5f || fabs(fa) <= fabs(fb)) {
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
            if (2 * t < fmin(3 * m * u - fabs(1e-5f * u), fabs(e * u))) {
                e = d;
                d = t / u;
            } else {
                d = e = m;
            }
        }
        a = b;
        fa = fb;
        if (fabs(d) > 1e-5f)
            b += d;
        else
            b += m > 0 ? 1e-5f : -1e-5f;
        fb = f(b, p, q);
    }
    root[i] = b;
}
