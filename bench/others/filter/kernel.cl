kernel void filter(uint n, uint limit, global const uint *restrict x, global uint *restrict count,
                   global uint *restrict out)
{
    uint i = get_global_id(0);
    if (i < n && x[i] > limit)
        out[atomic_inc(count)] = x[i];
}
