#define GROUP 256
#define SEGMENT 8192

kernel void sieve(uint segments, uint n, global const uint *restrict prime, global uint *restrict count)
{
    local uchar struck[SEGMENT];
    local uint total;
    uint l = get_local_id(0), g = get_group_id(0), first = g * SEGMENT;
    for (uint k = l; k < SEGMENT; k += GROUP)
        struck[k] = first + k < 2;
    if (l == 0)
        total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = l; j < n; j += GROUP) {
        uint p = prime[j], from = p * p;
        if (from < first)
            from = (first + p - 1) / p * p;
        for (uint k = from - first; k < SEGMENT; k += p)
            struck[k] = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint left = 0;
    for (uint k = l; k < SEGMENT; k += GROUP)
        left += struck[k] == 0;
    atomic_add(&total, left);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        count[g] = total;
}
