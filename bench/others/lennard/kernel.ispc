export void lennard(uniform int n, uniform const double x[], uniform const double y[],
                    uniform const double z[], uniform double fx[], uniform double fy[],
                    uniform double fz[])
{
    foreach (i = 0 ... n) {
        double xi = x[i], yi = y[i], zi = z[i], sx = 0.0d, sy = 0.0d, sz = 0.0d;
        for (uniform int j = 0; j < n; j++) {
            if (j == i)
                continue;
            double dx = xi - x[j], dy = yi - y[j], dz = zi - z[j];
            double inverse = 1.0d / (dx * dx + dy * dy + dz * dz);
            double sixth = inverse * inverse * inverse;
            double weight = (48.0d * sixth - 24.0d) * sixth * inverse;
            sx += weight * dx;
            sy += weight * dy;
            sz += weight * dz;
        }
        fx[i] = sx;
        fy[i] = sy;
        fz[i] = sz;
    }
}
