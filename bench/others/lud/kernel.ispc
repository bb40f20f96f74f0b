#define SIDE 16

export void diagonal(uniform int n, uniform int first, uniform float a[])
{
    for (uniform int k = first; k < first + SIDE; k++)
        for (uniform int i = k + 1; i < first + SIDE; i++) {
            a[i * n + k] /= a[k * n + k];
            uniform float factor = a[i * n + k];
            foreach (j = k + 1 ... first + SIDE)
                a[i * n + j] -= factor * a[k * n + j];
        }
}

export void perimeter(uniform int n, uniform int first, uniform float a[])
{
    for (uniform int i = 1; i < SIDE; i++)
        foreach (x = first + SIDE ... n) {
            float sum = a[(first + i) * n + x];
            for (uniform int j = 0; j < i; j++)
                sum -= a[(first + i) * n + first + j] * a[(first + j) * n + x];
            a[(first + i) * n + x] = sum;
        }
    for (uniform int i = 0; i < SIDE; i++)
        foreach (y = first + SIDE ... n) {
            float sum = a[y * n + first + i];
            for (uniform int j = 0; j < i; j++)
                sum -= a[y * n + first + j] * a[(first + j) * n + first + i];
            a[y * n + first + i] = sum / a[(first + i) * n + first + i];
        }
}

export void internal(uniform int n, uniform int first, uniform float a[])
{
    for (uniform int y = first + SIDE; y < n; y++)
        foreach (x = first + SIDE ... n) {
            float sum = 0.0f;
            for (uniform int i = first; i < first + SIDE; i++)
                sum += a[y * n + i] * a[i * n + x];
            a[y * n + x] -= sum;
        }
}
