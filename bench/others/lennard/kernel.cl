kernel void lennard(uint n, global const double *restrict x, global const double *restrict y,
                    global const double *restrict z, global double *restrict fx,
                    global double *restrict fy, global double *restrict fz)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    double xi = x[i], yi = y[i], zi = z[i], sx = 0.0, sy = 0.0, sz = 0.0;
    for (uint j = 0; j < n; j++) {
        if (j == i)
            continue;
        double dx = xi - x[j], dy = yi - y[j], dz = zi - z[j];
        double inverse = 1.0 / (dx * dx + dy * dy + dz * dz);
        double sixth = inverse * inverse * inverse;
        double weight = (48.0 * sixth - 24.0) * sixth * inverse;
        sx += weight * dx;
        sy += weight * dy;
        sz += weight * dz;
    }
    fx[i] = sx;
    fy[i] = sy;
    fz[i] = sz;
}
