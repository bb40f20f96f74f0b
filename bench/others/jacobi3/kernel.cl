kernel void jacobi3(uint n, global const double *restrict a, global double *restrict values)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    double m[9];
    for (int k = 0; k < 9; k++)
        m[k] = a[k * n + i];
    for (int sweep = 0; sweep < 4; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                double off = m[p * 3 + q];
                if (off != 0) {
                    double theta = (m[q * 4] - m[p * 4]) / (2 * off);
                    double t = 1 / (fabs(theta) + sqrt(theta * theta + 1));
                    if (theta < 0)
                        t = -t;
                    double c = 1 / sqrt(t * t + 1), s = t * c;
                    m[p * 4] -= t * off;
                    m[q * 4] += t * off;
                    m[p * 3 + q] = 0;
                    int r = 3 - p - q;
                    double u = m[r < p ? r * 3 + p : p * 3 + r];
                    double v = m[r < q ? r * 3 + q : q * 3 + r];
                    m[r < p ? r * 3 + p : p * 3 + r] = c * u - s * v;
                    m[r < q ? r * 3 + q : q * 3 + r] = s * u + c * v;
                }
            }
    for (int k = 0; k < 3; k++)
        values[k * n + i] = m[k * 4];
}
