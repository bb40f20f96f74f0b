#define ORDER 10

export void levinson(uniform int n, uniform const float spread[], uniform float predictor[])
{
    foreach (i = 0 ... n) {
        float r[ORDER + 1], a[ORDER + 1];
        for (uniform int k = 0; k <= ORDER; k++)
            r[k] = spread[k * n + i];
        float error = r[0];
        for (uniform int m = 1; m <= ORDER; m++) {
            float sum = r[m];
            for (uniform int j = 1; j < m; j++)
                sum += a[j] * r[m - j];
            float k = -sum / error;
            for (uniform int j = 1; j <= m / 2; j++) {
                float low = a[j], high = a[m - j];
                a[j] = low + k * high;
                a[m - j] = high + k * low;
            }
            a[m] = k;
            error *= 1.0f - k * k;
        }
        for (uniform int k = 1; k <= ORDER; k++)
            predictor[(k - 1) * n + i] = a[k];
    }
}
