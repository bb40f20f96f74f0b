export void rule30(uniform int n, uniform const uint32 x[], uniform uint32 y[])
{
    foreach (i = 0 ... n) {
        uint32 before = x[(i + n - 1) % n], own = x[i], after = x[(i + 1) % n];
        y[i] = (own >> 1 | after << 31) ^ (own | own << 1 | before >> 31);
    }
}
