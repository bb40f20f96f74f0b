kernel void closure(global const ulong *restrict from, global ulong *restrict to, uint graphs)
{
    local ulong row[64];
    uint l = get_local_id(0), i = get_global_id(0);
    ulong mine = from[i];
    for (uint k = 0; k < 64; k++) {
        if (l == k)
            row[k] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((mine >> k & 1) != 0)
            mine |= row[k];
    }
    to[i] = mine;
}
