kernel void cholesky(uint n, global const float *restrict a, global const float *restrict b,
                     global float *restrict x)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float m[36], v[6];
    for (int k = 0; k < 36; k++)
        m[k] = a[k * n + i];
    for (int k = 0; k < 6; k++)
        v[k] = b[k * n + i];
    for (int j = 0; j < 6; j++) {
        float sum = m[j * 6 + j];
        for (int k = 0; k < j; k++)
            sum -= m[j * 6 + k] * m[j * 6 + k];
        float root = sqrt(sum);
        m[j * 6 + j] = root;
        for (int r = j + 1; r < 6; r++) {
            float t = m[r * 6 + j];
            for (int k = 0; k < j; k++)
                t -= m[r * 6 + k] * m[j * 6 + k];
            m[r * 6 + j] = t / root;
        }
    }
    for (int j = 0; j < 6; j++) {
        float t = v[j];
        for (int k = 0; k < j; k++)
            t -= m[j * 6 + k] * v[k];
        v[j] = t / m[j * 6 + j];
    }
    for (int j = 5; j >= 0; j--) {
        float t = v[j];
        for (int k = j + 1; k < 6; k++)
            t -= m[k * 6 + j] * v[k];
        v[j] = t / m[j * 6 + j];
    }
    for (int k = 0; k < 6; k++)
        x[k * n + i] = v[k];
}
