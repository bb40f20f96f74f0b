export void newton(uniform int n, uniform const float coefficients[], uniform float root[])
{
    foreach (i = 0 ... n) {
        float p[8], q[7];
        for (uniform int k = 0; k < 8; k++)
            p[k] = coefficients[k * n + i];
        for (uniform int k = 1; k < 8; k++)
            q[k - 1] = p[k] * k;
        float x = 1;
        for (uniform int step = 0; step < 20; step++) {
            float f = p[7], slope = q[6];
            for (uniform int k = 6; k >= 0; k--)
                f = f * x + p[k];
            for (uniform int k = 5; k >= 0; k--)
                slope = slope * x + q[k];
            x -= f / slope;
        }
        root[i] = x;
    }
}
