#define GROUP 256

kernel void blocksort(uint n, global int *keys)
{
    local int block[2 * GROUP];
    size_t t = get_local_id(0);
    global int *mine = keys + get_group_id(0) * 2 * GROUP + t;
    block[t] = mine[0];
    block[t + GROUP] = mine[GROUP];
    for (uint k = 2; k <= 2 * GROUP; k *= 2) {
        for (uint j = k / 2; j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            size_t low = 2 * t - (t & (j - 1)), high = low + j;
            int x = block[low], y = block[high];
            if ((x > y) == ((low & k) == 0)) {
                block[low] = y;
                block[high] = x;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    mine[0] = block[t];
    mine[GROUP] = block[t + GROUP];
}
