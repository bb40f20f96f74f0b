export void cubemap(uniform int n, uniform int size, uniform const float x[],
                    uniform const float y[], uniform const float z[], uniform const float face[],
                    uniform float colour[])
{
    foreach (i = 0 ... n) {
        float xi = x[i], yi = y[i], zi = z[i];
        float ax = abs(xi), ay = abs(yi), az = abs(zi);
        int side = 0;
        float u = 0.0f, v = 0.0f, m = 0.0f;
        if (ax >= ay && ax >= az) {
            side = xi > 0.0f ? 0 : 1;
            m = ax;
            u = xi > 0.0f ? -zi : zi;
            v = -yi;
        } else if (ay >= az) {
            side = yi > 0.0f ? 2 : 3;
            m = ay;
            u = xi;
            v = yi > 0.0f ? zi : -zi;
        } else {
            side = zi > 0.0f ? 4 : 5;
            m = az;
            u = zi > 0.0f ? xi : -xi;
            v = -yi;
        }
        float last = (float)(size - 1);
        float s = (u / m + 1.0f) * 0.5f * last, t = (v / m + 1.0f) * 0.5f * last;
        float s0 = min(floor(s), last - 1.0f), t0 = min(floor(t), last - 1.0f);
        float fs = s - s0, ft = t - t0;
        int at = (side * (int)size + (int)t0) * (int)size + (int)s0;
        float upper = face[at] * (1.0f - fs) + face[at + 1] * fs;
        float lower = face[at + (int)size] * (1.0f - fs) + face[at + (int)size + 1] * fs;
        colour[i] = upper * (1.0f - ft) + lower * ft;
    }
}
