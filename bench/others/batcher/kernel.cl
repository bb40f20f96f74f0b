#define GROUP 256
#define BLOCK 512

static void compare(local uint *key, uint low, uint high)
{
    uint a = key[low], b = key[high];
    key[low] = min(a, b);
    key[high] = max(a, b);
}

kernel void batcher(uint n, global uint *restrict x)
{
    local uint key[BLOCK];
    uint l = get_local_id(0), i = get_group_id(0) * BLOCK + l;
    key[l] = x[i];
    key[l + GROUP] = x[i + GROUP];
    for (uint size = 2; size <= BLOCK; size *= 2) {
        uint stride = size / 2, offset = l & (stride - 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        compare(key, 2 * l - offset, 2 * l - offset + stride);
        for (stride /= 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint pos = 2 * l - (l & (stride - 1));
            if (offset >= stride)
                compare(key, pos - stride, pos);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = key[l];
    x[i + GROUP] = key[l + GROUP];
}
