#define GROUP 256
#define BLOCK 4096

kernel void radixcount(uint groups, uint shift, global const uint *restrict key,
                       global uint *restrict count)
{
    local uint counter[GROUP];
    uint l = get_local_id(0), g = get_group_id(0);
    counter[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = l; k < BLOCK; k += GROUP)
        atomic_inc(&counter[key[g * BLOCK + k] >> shift & 255]);
    barrier(CLK_LOCAL_MEM_FENCE);
    count[l * groups + g] = counter[l];
}
