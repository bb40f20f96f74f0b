#define ORDER 6

export void lu6(uniform int n, uniform const float a[], uniform float lu[], uniform int swaps[])
{
    foreach (i = 0 ... n) {
        float m[ORDER * ORDER];
        for (uniform int e = 0; e < ORDER * ORDER; e++)
            m[e] = a[i * ORDER * ORDER + e];
        for (uniform int k = 0; k < ORDER; k++) {
            int pivot = k;
            float most = abs(m[k * ORDER + k]);
            for (uniform int r = k + 1; r < ORDER; r++)
                if (abs(m[r * ORDER + k]) > most) {
                    most = abs(m[r * ORDER + k]);
                    pivot = r;
                }
            swaps[i * ORDER + k] = pivot;
            if (pivot != k)
                for (uniform int c = 0; c < ORDER; c++) {
                    float other = m[k * ORDER + c];
                    m[k * ORDER + c] = m[pivot * ORDER + c];
                    m[pivot * ORDER + c] = other;
                }
            for (uniform int r = k + 1; r < ORDER; r++) {
                float factor = m[r * ORDER + k] / m[k * ORDER + k];
                m[r * ORDER + k] = factor;
                for (uniform int c = k + 1; c < ORDER; c++)
                    m[r * ORDER + c] -= factor * m[k * ORDER + c];
            }
        }
        for (uniform int e = 0; e < ORDER * ORDER; e++)
            lu[i * ORDER * ORDER + e] = m[e];
    }
}
