#define K 15
#define WINDOW 10
#define GROUP 128

kernel void minimizers(uint n, global const uchar *restrict bases, global ulong *restrict least)
{
    local ulong hash[GROUP + WINDOW - 1];
    uint l = get_local_id(0), first = get_group_id(0) * GROUP;
    uint words = min(n - first, (uint)GROUP) + WINDOW - 1;
    for (uint w = l; w < words; w += GROUP) {
        ulong key = 0;
        for (uint k = 0; k < K; k++)
            key = key << 2 | bases[first + w + k];
        key = (key ^ key >> 33) * 0xff51afd7ed558ccdUL;
        key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53UL;
        hash[w] = key ^ key >> 33;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (first + l >= n)
        return;
    ulong smallest = hash[l];
    for (uint w = 1; w < WINDOW; w++)
        smallest = min(smallest, hash[l + w]);
    least[first + l] = smallest;
}
