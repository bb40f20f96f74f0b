#define ORDER 6

kernel void lu6(uint n, global const float *restrict a, global float *restrict lu,
                global int *restrict swaps)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float m[ORDER * ORDER];
    for (int e = 0; e < ORDER * ORDER; e++)
        m[e] = a[i * ORDER * ORDER + e];
    for (int k = 0; k < ORDER; k++) {
        int pivot = k;
        float most = fabs(m[k * ORDER + k]);
        for (int r = k + 1; r < ORDER; r++)
            if (fabs(m[r * ORDER + k]) > most) {
                most = fabs(m[r * ORDER + k]);
                pivot = r;
            }
        swaps[i * ORDER + k] = pivot;
        if (pivot != k)
            for (int c = 0; c < ORDER; c++) {
                float other = m[k * ORDER + c];
                m[k * ORDER + c] = m[pivot * ORDER + c];
                m[pivot * ORDER + c] = other;
            }
        for (int r = k + 1; r < ORDER; r++) {
            float factor = m[r * ORDER + k] / m[k * ORDER + k];
            m[r * ORDER + k] = factor;
            for (int c = k + 1; c < ORDER; c++)
                m[r * ORDER + c] -= factor * m[k * ORDER + c];
        }
    }
    for (int e = 0; e < ORDER * ORDER; e++)
        lu[i * ORDER * ORDER + e] = m[e];
}
