kernel void crank(uint n, global const double *restrict side, global const double *restrict strike,
                  global double *restrict price)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    double v[48];
    double c[48];
    double a = side[i], k = strike[i];
    for (uint j = 0; j < 48; j++)
        v[j] = fmax(k - (double)j, 0.0);
    for (uint step = 0; step < 12; step++) {
        double before = v[0];
        c[0] = 0.0;
        for (uint j = 1; j < 47; j++) {
            double here = v[j];
            double right = a * before + (1.0 - 2.0 * a) * here + a * v[j + 1];
            before = here;
            double by = 1.0 / (1.0 + 2.0 * a + a * c[j - 1]);
            c[j] = (0.0 - a) * by;
            v[j] = (right + a * v[j - 1]) * by;
        }
        for (uint j = 46; j > 0; j--) {
            double value = v[j] - c[j] * v[j + 1];
            v[j] = fmax(value, k - (double)j);
        }
    }
    price[i] = v[24];
}
