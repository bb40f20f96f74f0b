export void cholesky(uniform int n, uniform const float a[], uniform const float b[],
                     uniform float x[])
{
    foreach (i = 0 ... n) {
        float m[36], v[6];
        for (uniform int k = 0; k < 36; k++)
            m[k] = a[k * n + i];
        for (uniform int k = 0; k < 6; k++)
            v[k] = b[k * n + i];
        for (uniform int j = 0; j < 6; j++) {
            float sum = m[j * 6 + j];
            for (uniform int k = 0; k < j; k++)
                sum -= m[j * 6 + k] * m[j * 6 + k];
            float root = sqrt(sum);
            m[j * 6 + j] = root;
            for (uniform int r = j + 1; r < 6; r++) {
                float t = m[r * 6 + j];
                for (uniform int k = 0; k < j; k++)
                    t -= m[r * 6 + k] * m[j * 6 + k];
                m[r * 6 + j] = t / root;
            }
        }
        for (uniform int j = 0; j < 6; j++) {
            float t = v[j];
            for (uniform int k = 0; k < j; k++)
                t -= m[j * 6 + k] * v[k];
            v[j] = t / m[j * 6 + j];
        }
        for (uniform int j = 5; j >= 0; j--) {
            float t = v[j];
            for (uniform int k = j + 1; k < 6; k++)
                t -= m[k * 6 + j] * v[k];
            v[j] = t / m[j * 6 + j];
        }
        for (uniform int k = 0; k < 6; k++)
            x[k * n + i] = v[k];
    }
}
