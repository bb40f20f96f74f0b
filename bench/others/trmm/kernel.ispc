export void trmm(uniform int n, uniform float alpha, uniform const float a[],
                 uniform const float b[], uniform float c[])
{
    for (uniform int i = 0; i < n; i++)
        foreach (j = 0 ... n) {
            float sum = b[i * n + j];
            for (uniform int k = i + 1; k < n; k++)
                sum += a[k * n + i] * b[k * n + j];
            c[i * n + j] = alpha * sum;
        }
}
