#define BINS 64
#define COPIES 4

kernel void privhist(uint n, uint stride, global const ushort *restrict x, global uint *bins)
{
    local uint counters[COPIES * BINS];
    uint l = get_local_id(0);
    counters[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    local uint *copy = counters + (l & (COPIES - 1)) * BINS;
    for (uint i = get_global_id(0); i < n; i += stride)
        atomic_inc(&copy[x[i] >> 10]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < BINS)
        atomic_add(&bins[l], counters[l] + counters[l + BINS] + counters[l + 2 * BINS] +
                                 counters[l + 3 * BINS]);
}
