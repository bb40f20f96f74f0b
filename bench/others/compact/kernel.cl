#define GROUP 192

kernel void compact(uint n, uint limit, global const uint *restrict first,
                    global const uint *restrict x, global uint *restrict y)
{
    local uint sum[GROUP];
    uint l = get_local_id(0), value = x[get_global_id(0)];
    uint low = value < limit;
    sum[l] = low;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        uint other = l >= distance ? sum[l - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum[l] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (low)
        y[first[get_group_id(0)] + sum[l] - 1] = value;
}
