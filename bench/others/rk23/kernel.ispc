export void rk23(uniform int n, uniform float end, uniform float tolerance, uniform const float mu[],
                 uniform float xs[], uniform float vs[])
{
    foreach (i = 0 ... n) {
        float m = mu[i], x = xs[i], v = vs[i], t = 0.0f, h = 0.01f;
        while (t < end) {
            h = min(h, end - t);
            float x1 = v, v1 = m * (1.0f - x * x) * v - x;
            float px = x + 0.5f * h * x1, pv = v + 0.5f * h * v1;
            float x2 = pv, v2 = m * (1.0f - px * px) * pv - px;
            px = x + 0.75f * h * x2;
            pv = v + 0.75f * h * v2;
            float x3 = pv, v3 = m * (1.0f - px * px) * pv - px;
            float nx = x + h * (0.22222222f * x1 + 0.33333333f * x2 + 0.44444444f * x3);
            float nv = v + h * (0.22222222f * v1 + 0.33333333f * v2 + 0.44444444f * v3);
            float x4 = nv, v4 = m * (1.0f - nx * nx) * nv - nx;
            float ex = h * (0.083333333f * x2 + 0.11111111f * x3 - 0.069444444f * x1 - 0.125f * x4);
            float ev = h * (0.083333333f * v2 + 0.11111111f * v3 - 0.069444444f * v1 - 0.125f * v4);
            float error = max(abs(ex), abs(ev)) + 1e-9f;
            if (error <= tolerance) {
                t += h;
                x = nx;
                v = nv;
            }
            h *= min(max(0.9f * sqrt(tolerance / error), 0.3f), 3.0f);
        }
        xs[i] = x;
        vs[i] = v;
    }
}
