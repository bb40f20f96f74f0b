#define BLOCK 1024
#define PRIME 998244353u

kernel void ntt(uint blocks, global const uint *restrict power, global uint *restrict x)
{
    local uint data[BLOCK];
    uint l = get_local_id(0), first = get_group_id(0) * BLOCK, stride = 1;
    data[l] = x[first + l];
    data[l + BLOCK / 2] = x[first + l + BLOCK / 2];
    for (uint step = BLOCK / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint low = l & (step - 1), a = 2 * l - low;
        uint p = data[a], q = data[a + step];
        uint sum = p + q;
        data[a] = sum >= PRIME ? sum - PRIME : sum;
        data[a + step] = (ulong)(p + PRIME - q) * power[low * stride] % PRIME;
        stride *= 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x[first + l] = data[l];
    x[first + l + BLOCK / 2] = data[l + BLOCK / 2];
}
