kernel void legendre(uint n, uint terms, global const double *restrict share,
                     global const double *restrict x, global double *restrict y)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    double t = x[i], before = 1.0, p = t, sum = share[0];
    for (uint k = 1; k < terms; k++) {
        sum += share[k] * p;
        double next = ((2 * k + 1) * t * p - k * before) / (k + 1);
        before = p;
        p = next;
    }
    y[i] = sum;
}
