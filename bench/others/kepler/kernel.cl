kernel void kepler(uint n, global const double *restrict mean,
                   global const double *restrict eccentricity, global double *restrict anomaly)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    double m = mean[i], e = eccentricity[i], x = m + e;
    for (int k = 0; k < 50; k++) {
        double x2 = x * x;
        double s = -1.0 / 5040 + x2 * (1.0 / 362880);
        s = x * (1.0 + x2 * (-1.0 / 6 + x2 * (1.0 / 120 + x2 * s)));
        double c = 1.0 / 24 + x2 * (-1.0 / 720 + x2 * (1.0 / 40320));
        c = 1.0 + x2 * (-1.0 / 2 + x2 * c);
        double step = (x - e * s - m) / (1.0 - e * c);
        x -= step;
        if (fabs(step) < 1e-9)
            break;
    }
    anomaly[i] = x;
}
