#define GROUP 128

kernel void oddeven(uint n, global int *restrict x)
{
    local int tile[GROUP];
    uint l = get_local_id(0), i = get_global_id(0);
    tile[l] = x[i];
    for (uint round_ = 0; round_ < GROUP; round_++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (((l + round_) & 1) == 0 && l < GROUP - 1) {
            int a = tile[l], b = tile[l + 1];
            if (a > b) {
                tile[l] = b;
                tile[l + 1] = a;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = tile[l];
}
