export void column_sweep(uniform int n, uniform double a, uniform double b, uniform double u[],
                         uniform double v[], uniform double p[], uniform double q[])
{
    foreach (i = 1 ... n - 1) {
        v[i] = 1.0d;
        p[i * n] = 0.0d;
        q[i * n] = 1.0d;
        for (uniform int j = 1; j < n - 1; j++) {
            double below = a * p[i * n + j - 1] + b;
            p[i * n + j] = -a / below;
            q[i * n + j] = (-a * u[j * n + i - 1] + (1.0d + 2.0d * a) * u[j * n + i] - a * u[j * n + i + 1]
                            - a * q[i * n + j - 1]) / below;
        }
        v[(n - 1) * n + i] = 1.0d;
        for (uniform int j = n - 2; j >= 1; j--)
            v[j * n + i] = p[i * n + j] * v[(j + 1) * n + i] + q[i * n + j];
    }
}

export void row_sweep(uniform int n, uniform double a, uniform double b, uniform double u[],
                      uniform double v[], uniform double p[], uniform double q[])
{
    foreach (i = 1 ... n - 1) {
        u[i * n] = 1.0d;
        p[i * n] = 0.0d;
        q[i * n] = 1.0d;
        for (uniform int j = 1; j < n - 1; j++) {
            double below = a * p[i * n + j - 1] + b;
            p[i * n + j] = -a / below;
            q[i * n + j] = (-a * v[(i - 1) * n + j] + (1.0d + 2.0d * a) * v[i * n + j] - a * v[(i + 1) * n + j]
                            - a * q[i * n + j - 1]) / below;
        }
        u[i * n + n - 1] = 1.0d;
        for (uniform int j = n - 2; j >= 1; j--)
            u[i * n + j] = p[i * n + j] * u[i * n + j + 1] + q[i * n + j];
    }
}
