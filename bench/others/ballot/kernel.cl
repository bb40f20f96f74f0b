#define GROUP 256
#define ROW 32

kernel void ballot(uint n, uint limit, global const uint *restrict x, global uint *restrict y,
                   global uint *restrict counts)
{
    local uint sum[GROUP];
    uint i = get_global_id(0), l = get_local_id(0), lane = l % ROW;
    uint value = i < n ? x[i] : 0, low = i < n && value < limit;
    sum[l] = low;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < ROW; distance *= 2) {
        uint other = lane >= distance ? sum[l - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum[l] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (low)
        y[i - lane + sum[l] - 1] = value;
    if (i < n && lane == ROW - 1)
        counts[i / ROW] = sum[l];
}
