export void gaussjordan(uniform int n, uniform const float a[], uniform float inverse[])
{
    foreach (i = 0 ... n) {
        float m[32];
        for (uniform int r = 0; r < 4; r++)
            for (uniform int c = 0; c < 4; c++) {
                m[r * 8 + c] = a[(r * 4 + c) * n + i];
                m[r * 8 + 4 + c] = r == c ? 1 : 0;
            }
        for (uniform int j = 0; j < 4; j++) {
            int pivot = j;
            float largest = abs(m[j * 9]);
            for (uniform int r = j + 1; r < 4; r++) {
                float here = abs(m[r * 8 + j]);
                if (here > largest) {
                    largest = here;
                    pivot = r;
                }
            }
            float scale = 1 / m[pivot * 8 + j];
            for (uniform int c = 0; c < 8; c++) {
                float t = m[j * 8 + c];
                m[j * 8 + c] = m[pivot * 8 + c] * scale;
                if (pivot != j)
                    m[pivot * 8 + c] = t;
            }
            for (uniform int r = 0; r < 4; r++)
                if (r != j) {
                    float factor = m[r * 8 + j];
                    for (uniform int c = 0; c < 8; c++)
                        m[r * 8 + c] -= factor * m[j * 8 + c];
                }
        }
        for (uniform int r = 0; r < 4; r++)
            for (uniform int c = 0; c < 4; c++)
                inverse[(r * 4 + c) * n + i] = m[r * 8 + 4 + c];
    }
}
