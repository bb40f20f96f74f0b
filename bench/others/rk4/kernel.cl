kernel void rk4(uint n, uint steps, double h, global const double *restrict rhos,
                global double *restrict xs, global double *restrict ys, global double *restrict zs)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    double rho = rhos[i], x = xs[i], y = ys[i], z = zs[i], b = 8.0 / 3.0;
    for (uint step = 0; step < steps; step++) {
        double ax = 10.0 * (y - x), ay = x * (rho - z) - y, az = x * y - b * z;
        double px = x + 0.5 * h * ax, py = y + 0.5 * h * ay, pz = z + 0.5 * h * az;
        double bx = 10.0 * (py - px), by = px * (rho - pz) - py, bz = px * py - b * pz;
        px = x + 0.5 * h * bx, py = y + 0.5 * h * by, pz = z + 0.5 * h * bz;
        double cx = 10.0 * (py - px), cy = px * (rho - pz) - py, cz = px * py - b * pz;
        px = x + h * cx, py = y + h * cy, pz = z + h * cz;
        double dx = 10.0 * (py - px), dy = px * (rho - pz) - py, dz = px * py - b * pz;
        x += h / 6.0 * (ax + 2.0 * bx + 2.0 * cx + dx);
        y += h / 6.0 * (ay + 2.0 * by + 2.0 * cy + dy);
        z += h / 6.0 * (az + 2.0 * bz + 2.0 * cz + dz);
    }
    xs[i] = x;
    ys[i] = y;
    zs[i] = z;
}
