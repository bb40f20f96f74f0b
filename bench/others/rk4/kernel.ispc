export void rk4(uniform int n, uniform int steps, uniform double h, uniform const double rhos[],
                uniform double xs[], uniform double ys[], uniform double zs[])
{
    foreach (i = 0 ... n) {
        double rho = rhos[i], x = xs[i], y = ys[i], z = zs[i];
        uniform double b = 8.0d / 3.0d;
        for (uniform int step = 0; step < steps; step++) {
            double ax = 10.0d * (y - x), ay = x * (rho - z) - y, az = x * y - b * z;
            double px = x + 0.5d * h * ax, py = y + 0.5d * h * ay, pz = z + 0.5d * h * az;
            double bx = 10.0d * (py - px), by = px * (rho - pz) - py, bz = px * py - b * pz;
            px = x + 0.5d * h * bx;
            py = y + 0.5d * h * by;
            pz = z + 0.5d * h * bz;
            double cx = 10.0d * (py - px), cy = px * (rho - pz) - py, cz = px * py - b * pz;
            px = x + h * cx;
            py = y + h * cy;
            pz = z + h * cz;
            double dx = 10.0d * (py - px), dy = px * (rho - pz) - py, dz = px * py - b * pz;
            x += h / 6.0d * (ax + 2.0d * bx + 2.0d * cx + dx);
            y += h / 6.0d * (ay + 2.0d * by + 2.0d * cy + dy);
            z += h / 6.0d * (az + 2.0d * bz + 2.0d * cz + dz);
        }
        xs[i] = x;
        ys[i] = y;
        zs[i] = z;
    }
}
