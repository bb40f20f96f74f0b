export void by_rows(uniform int n, uniform const float a[], uniform const float y[],
                    uniform float x[])
{
    foreach (i = 0 ... n)
        for (uniform int j = 0; j < n; j++)
            x[i] += a[i * n + j] * y[j];
}

export void by_columns(uniform int n, uniform const float a[], uniform const float y[],
                       uniform float x[])
{
    foreach (i = 0 ... n)
        for (uniform int j = 0; j < n; j++)
            x[i] += a[j * n + i] * y[j];
}
