#define BINS 256

kernel void histogram(uint n, uint stride, global const uchar *restrict x, global uint *bins)
{
    local uint counters[BINS];
    size_t l = get_local_id(0);
    counters[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += stride)
        atomic_inc(&counters[x[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[l], counters[l]);
}
