#define ORDER 10

kernel void levinson(uint n, global const float *restrict spread, global float *restrict predictor)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float r[ORDER + 1], a[ORDER + 1];
    for (int k = 0; k <= ORDER; k++)
        r[k] = spread[k * n + i];
    float error = r[0];
    for (int m = 1; m <= ORDER; m++) {
        float sum = r[m];
        for (int j = 1; j < m; j++)
            sum += a[j] * r[m - j];
        float k = -sum / error;
        for (int j = 1; j <= m / 2; j++) {
            float low = a[j], high = a[m - j];
            a[j] = low + k * high;
            a[m - j] = high + k * low;
        }
        a[m] = k;
        error *= 1.0f - k * k;
    }
    for (int k = 1; k <= ORDER; k++)
        predictor[(k - 1) * n + i] = a[k];
}
