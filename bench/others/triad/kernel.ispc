export void triad(uniform int n, uniform double scale, uniform double a[],
                  uniform const double b[], uniform const double c[])
{
    foreach (i = 0 ... n)
        a[i] = b[i] + scale * c[i];
}
