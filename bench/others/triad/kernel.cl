kernel void triad(uint n, double scale, global double *restrict a, global const double *restrict b,
                  global const double *restrict c)
{
    size_t i = get_global_id(0);
    if (i < n)
        a[i] = b[i] + scale * c[i];
}
