export void legendre(uniform int n, uniform int terms, uniform const double share[],
                     uniform const double x[], uniform double y[])
{
    foreach (i = 0 ... n) {
        double t = x[i];
        double before = 1.0d;
        double p = t;
        double sum = share[0];
        for (uniform uint32 k = 1; k < terms; k++) {
            sum += share[k] * p;
            double next = ((2 * k + 1) * t * p - k * before) / (k + 1);
            before = p;
            p = next;
        }
        y[i] = sum;
    }
}
