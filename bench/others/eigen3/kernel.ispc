#define SWEEPS 5

export void eigen3(uniform int n, uniform const float a[], uniform float values[])
{
    foreach (i = 0 ... n) {
        float m[9];
        for (uniform int k = 0; k < 9; k++)
            m[k] = a[k * n + i];
        for (uniform int sweep = 0; sweep < SWEEPS; sweep++)
            for (uniform int p = 0; p < 2; p++)
                for (uniform int q = p + 1; q < 3; q++) {
                    float off = m[p * 3 + q];
                    if (abs(off) > 1e-12f) {
                        float theta = (m[q * 4] - m[p * 4]) / (2.0f * off);
                        float t = 1.0f / (abs(theta) + sqrt(theta * theta + 1.0f));
                        if (theta < 0.0f)
                            t = -t;
                        float c = 1.0f / sqrt(t * t + 1.0f);
                        float s = t * c;
                        m[p * 4] -= t * off;
                        m[q * 4] += t * off;
                        m[p * 3 + q] = 0.0f;
                        for (uniform int r = 0; r < 3; r++)
                            if (r != p && r != q) {
                                uniform int rp = min(r, p) * 3 + max(r, p);
                                uniform int rq = min(r, q) * 3 + max(r, q);
                                float x = m[rp], y = m[rq];
                                m[rp] = c * x - s * y;
                                m[rq] = s * x + c * y;
                            }
                    }
                }
        float low = min(m[0], m[4]), high = max(m[0], m[4]);
        float middle = min(high, m[8]);
        values[i] = min(low, middle);
        values[n + i] = max(low, middle);
        values[2 * n + i] = max(high, m[8]);
    }
}
