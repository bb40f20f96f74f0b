export void crank(uniform int n, uniform const double side[], uniform const double strike[],
                  uniform double price[])
{
    foreach (i = 0 ... n) {
        double v[48];
        double c[48];
        double a = side[i], k = strike[i];
        for (uniform int j = 0; j < 48; j++)
            v[j] = max(k - (double)j, 0.0d);
        for (uniform int step = 0; step < 12; step++) {
            double before = v[0];
            c[0] = 0.0d;
            for (uniform int j = 1; j < 47; j++) {
                double here = v[j];
                double right = a * before + (1.0d - 2.0d * a) * here + a * v[j + 1];
                before = here;
                double by = 1.0d / (1.0d + 2.0d * a + a * c[j - 1]);
                c[j] = (0.0d - a) * by;
                v[j] = (right + a * v[j - 1]) * by;
            }
            for (uniform int j = 46; j > 0; j--) {
                double value = v[j] - c[j] * v[j + 1];
                v[j] = max(value, k - (double)j);
            }
        }
        price[i] = v[24];
    }
}
