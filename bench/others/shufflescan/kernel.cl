#define GROUP 256
#define ROW 32

kernel void shufflescan(uint n, global const uint *restrict x, global uint *restrict y)
{
    local uint sum[GROUP];
    uint i = get_global_id(0), l = get_local_id(0), lane = l % ROW;
    sum[l] = i < n ? x[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < ROW; distance *= 2) {
        uint other = lane >= distance ? sum[l - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum[l] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n)
        y[i] = sum[l];
}
