#define GROUP 256

kernel void scan_blocks(uint n, global const uint *restrict x, global uint *restrict y,
                        global uint *restrict sums)
{
    local uint part[2][GROUP];
    size_t l = get_local_id(0), i = get_global_id(0);
    uint side = 0;
    uint sum = i < n ? x[i] : 0;
    part[side][l] = sum;
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l >= distance)
            sum += part[side][l - distance];
        side ^= 1;
        part[side][l] = sum;
    }
    if (l == GROUP - 1)
        sums[get_group_id(0)] = sum;
    if (i < n)
        y[i] = sum;
}

kernel void add_sums(uint n, global const uint *restrict sums, global uint *restrict y)
{
    size_t i = get_global_id(0), g = get_group_id(0);
    if (i < n && g > 0)
        y[i] += sums[g - 1];
}
