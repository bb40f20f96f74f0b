kernel void rule30(uint n, global const uint *restrict x, global uint *restrict y)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint before = x[(i + n - 1) % n], own = x[i], after = x[(i + 1) % n];
    y[i] = (own >> 1 | after << 31) ^ (own | own << 1 | before >> 31);
}
