kernel void mergegroup(global const uint *restrict x, global uint *restrict y, uint blocks)
{
    local uint one[256];
    local uint two[256];
    uint l = get_local_id(0);
    uint i = get_global_id(0);
    one[l] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint run = 1; run < 256; run *= 2) {
        uint mine = one[l];
        uint base = l & ~(run * 2 - 1);
        uint right = l & run;
        uint other = base + (run - right);
        uint low = 0;
        uint high = run;
        while (low < high) {
            uint middle = (low + high) / 2;
            uint v = one[other + middle];
            if (v < mine || v == mine && right != 0)
                low = middle + 1;
            else
                high = middle;
        }
        two[base + (l & run - 1) + low] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
        one[l] = two[l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[i] = one[l];
}
