#define GROUP 192

kernel void knapsack(uint n, uint items, global const uint *restrict weight,
                     global const uint *restrict value, global uint *restrict best)
{
    local uint sum[GROUP];
    uint l = get_local_id(0), problem = get_group_id(0);
    uint own = 0;
    sum[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < items; k++) {
        uint w = weight[problem * items + k];
        if (l >= w)
            own = max(own, sum[l - w] + value[problem * items + k]);
        barrier(CLK_LOCAL_MEM_FENCE);
        sum[l] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    best[problem * GROUP + l] = own;
}
