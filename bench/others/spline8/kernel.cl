kernel void spline8(uint n, global const double *restrict y, global double *restrict second)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    double u[8], z[8];
    double before = y[i], here = y[n + i];
    u[0] = 0;
    z[0] = 0;
    for (int k = 1; k < 7; k++) {
        double after = y[(k + 1) * n + i];
        double pivot = 4 - u[k - 1];
        u[k] = 1 / pivot;
        z[k] = (6 * (after - 2 * here + before) - z[k - 1]) / pivot;
        before = here;
        here = after;
    }
    double m = 0;
    second[7 * n + i] = 0;
    for (int k = 6; k > 0; k--) {
        m = z[k] - u[k] * m;
        second[k * n + i] = m;
    }
    second[i] = 0;
}
