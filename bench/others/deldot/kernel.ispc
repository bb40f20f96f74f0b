export void deldot(uniform int n, uniform int line, uniform const uint32 zone[],
                   uniform const double x[], uniform const double y[], uniform const double fx[],
                   uniform const double fy[], uniform double div[])
{
    foreach (ii = 0 ... n) {
        int i = zone[ii];
        int a = i + 1, b = i + 1 + line, c = i + line, d = i;
        double xi = 0.5d * (x[a] + x[b] - x[c] - x[d]), xj = 0.5d * (x[b] + x[c] - x[d] - x[a]);
        double yi = 0.5d * (y[a] + y[b] - y[c] - y[d]), yj = 0.5d * (y[b] + y[c] - y[d] - y[a]);
        double fxi = 0.5d * (fx[a] + fx[b] - fx[c] - fx[d]);
        double fxj = 0.5d * (fx[b] + fx[c] - fx[d] - fx[a]);
        double fyi = 0.5d * (fy[a] + fy[b] - fy[c] - fy[d]);
        double fyj = 0.5d * (fy[b] + fy[c] - fy[d] - fy[a]);
        double area = 1.0d / (xi * yj - xj * yi + 1e-20d);
        double dfxdx = area * (fxi * yj - fxj * yi), dfydy = area * (fyj * xi - fyi * xj);
        div[i] = dfxdx + dfydy + (fy[a] + fy[b] + fy[c] + fy[d]) / (x[a] + x[b] + x[c] + x[d]);
    }
}
