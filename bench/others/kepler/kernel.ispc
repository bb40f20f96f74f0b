export void kepler(uniform int n, uniform const double mean[], uniform const double eccentricity[],
                   uniform double anomaly[])
{
    foreach (i = 0 ... n) {
        double m = mean[i], e = eccentricity[i];
        double x = m + e;
        for (uniform int k = 0; k < 50; k++) {
            double x2 = x * x;
            double s = -1.0d / 5040 + x2 * (1.0d / 362880);
            s = x * (1.0d + x2 * (-1.0d / 6 + x2 * (1.0d / 120 + x2 * s)));
            double c = 1.0d / 24 + x2 * (-1.0d / 720 + x2 * (1.0d / 40320));
            c = 1.0d + x2 * (-1.0d / 2 + x2 * c);
            double step = (x - e * s - m) / (1.0d - e * c);
            x -= step;
            if (abs(step) < 1e-9d)
                break;
        }
        anomaly[i] = x;
    }
}
