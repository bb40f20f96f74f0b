export void gemvcol(uniform int n, uniform const float a[], uniform const float x[],
                    uniform float y[])
{
    foreach (i = 0 ... n) {
        float sum = 0;
        for (uniform int j = 0; j < n; j++)
            sum += a[j * n + i] * x[j];
        y[i] = sum;
    }
}
