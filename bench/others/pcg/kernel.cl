kernel void pcg(uint n, uint draws, global const ulong *restrict state, global uint *restrict sum)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    ulong s = state[i];
    uint total = 0;
    for (uint k = 0; k < draws; k++) {
        uint mixed = (uint)((s >> 18 ^ s) >> 27), turn = (uint)(s >> 59);
        total += mixed >> turn | mixed << (-turn & 31);
        s = s * 6364136223846793005ul + 1442695040888963407ul;
    }
    sum[i] = total;
}
