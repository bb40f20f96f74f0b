#define LENGTH 32

export void dtw(uniform int n, uniform const float a[], uniform const float b[],
                uniform float distance[])
{
    foreach (i = 0 ... n) {
        float row[LENGTH + 1];
        row[0] = 0.0f;
        for (uniform int j = 1; j <= LENGTH; j++)
            row[j] = 1e30f;
        for (uniform int k = 0; k < LENGTH; k++) {
            float value = a[k * n + i], corner = row[0];
            row[0] = 1e30f;
            for (uniform int j = 1; j <= LENGTH; j++) {
                float above = row[j];
                row[j] = abs(value - b[(j - 1) * n + i]) + min(min(corner, above), row[j - 1]);
                corner = above;
            }
        }
        distance[i] = row[LENGTH];
    }
}
