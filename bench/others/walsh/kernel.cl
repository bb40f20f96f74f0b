#define BLOCK 512

kernel void walsh(uint blocks, global float *restrict x)
{
    local float data[BLOCK];
    uint l = get_local_id(0), first = get_group_id(0) * BLOCK;
    data[l] = x[first + l];
    data[l + BLOCK / 2] = x[first + l + BLOCK / 2];
    for (uint step = BLOCK / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint low = l & (step - 1), a = 2 * l - low;
        float p = data[a], q = data[a + step];
        data[a] = p + q;
        data[a + step] = p - q;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x[first + l] = data[l];
    x[first + l + BLOCK / 2] = data[l + BLOCK / 2];
}
