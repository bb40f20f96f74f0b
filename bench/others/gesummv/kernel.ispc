export void gesummv(uniform int n, uniform float alpha, uniform float beta,
                    uniform const float a[], uniform const float b[], uniform const float x[],
                    uniform float tmp[], uniform float y[])
{
    foreach (i = 0 ... n) {
        tmp[i] = 0;
        y[i] = 0;
        for (uniform int j = 0; j < n; j++) {
            tmp[i] += a[i * n + j] * x[j];
            y[i] += b[i * n + j] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}
