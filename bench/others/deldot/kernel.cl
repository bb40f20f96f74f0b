kernel void deldot(uint n, uint line, global const uint *restrict zone,
                   global const double *restrict x, global const double *restrict y,
                   global const double *restrict fx, global const double *restrict fy,
                   global double *restrict div)
{
    uint ii = get_global_id(0);
    if (ii >= n)
        return;
    uint i = zone[ii], a = i + 1, b = i + 1 + line, c = i + line, d = i;
    double xi = 0.5 * (x[a] + x[b] - x[c] - x[d]), xj = 0.5 * (x[b] + x[c] - x[d] - x[a]);
    double yi = 0.5 * (y[a] + y[b] - y[c] - y[d]), yj = 0.5 * (y[b] + y[c] - y[d] - y[a]);
    double fxi = 0.5 * (fx[a] + fx[b] - fx[c] - fx[d]), fxj = 0.5 * (fx[b] + fx[c] - fx[d] - fx[a]);
    double fyi = 0.5 * (fy[a] + fy[b] - fy[c] - fy[d]), fyj = 0.5 * (fy[b] + fy[c] - fy[d] - fy[a]);
    double area = 1.0 / (xi * yj - xj * yi + 1e-20);
    double dfxdx = area * (fxi * yj - fxj * yi), dfydy = area * (fyj * xi - fyi * xj);
    div[i] = dfxdx + dfydy + (fy[a] + fy[b] + fy[c] + fy[d]) / (x[a] + x[b] + x[c] + x[d]);
}
