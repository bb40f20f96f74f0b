export void tridiagonal(uniform int n, uniform const float below[], uniform const float middle[],
                        uniform const float above[], uniform const float right[],
                        uniform float x[])
{
    foreach (i = 0 ... n) {
        float c[32], d[32];
        c[0] = above[i] / middle[i];
        d[0] = right[i] / middle[i];
        for (uniform int k = 1; k < 32; k++) {
            float b = below[k * n + i];
            float scale = 1 / (middle[k * n + i] - b * c[k - 1]);
            c[k] = above[k * n + i] * scale;
            d[k] = (right[k * n + i] - b * d[k - 1]) * scale;
        }
        float last = d[31];
        x[31 * n + i] = last;
        for (uniform int k = 30; k >= 0; k--) {
            last = d[k] - c[k] * last;
            x[k * n + i] = last;
        }
    }
}
