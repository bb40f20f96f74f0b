export void zonal(uniform int n, uniform int line, uniform int plane, uniform const uint32 zones[],
                  uniform const double x[], uniform double zonal[])
{
    foreach (l = 0 ... n) {
        int i = zones[l];
        zonal[i] = 0.125d * (x[i] + x[i + 1] + x[i + line] + x[i + line + 1] + x[i + plane]
                             + x[i + plane + 1] + x[i + plane + line] + x[i + plane + line + 1]);
    }
}
