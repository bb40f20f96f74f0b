kernel void maxcas(uint n, global const uchar *restrict key, global const float *restrict x,
                   global uint *restrict most)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float value = x[i];
    uint old = most[key[i]];
    while (value > as_float(old)) {
        uint seen = atomic_cmpxchg((volatile global uint *)&most[key[i]], old, as_uint(value));
        if (seen == old)
            break;
        old = seen;
    }
}
