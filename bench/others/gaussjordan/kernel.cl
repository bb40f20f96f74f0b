kernel void gaussjordan(uint n, global const float *restrict a, global float *restrict inverse)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float m[32];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            m[r * 8 + c] = a[(r * 4 + c) * n + i];
            m[r * 8 + 4 + c] = r == c ? 1 : 0;
        }
    for (int j = 0; j < 4; j++) {
        int pivot = j;
        float largest = fabs(m[j * 9]);
        for (int r = j + 1; r < 4; r++) {
            float here = fabs(m[r * 8 + j]);
            if (here > largest) {
                largest = here;
                pivot = r;
            }
        }
        float scale = 1 / m[pivot * 8 + j];
        for (int c = 0; c < 8; c++) {
            float t = m[j * 8 + c];
            m[j * 8 + c] = m[pivot * 8 + c] * scale;
            if (pivot != j)
                m[pivot * 8 + c] = t;
        }
        for (int r = 0; r < 4; r++)
            if (r != j) {
                float factor = m[r * 8 + j];
                for (int c = 0; c < 8; c++)
                    m[r * 8 + c] -= factor * m[j * 8 + c];
            }
    }
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            inverse[(r * 4 + c) * n + i] = m[r * 8 + 4 + c];
}
