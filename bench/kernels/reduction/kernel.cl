#define GROUP 256

kernel void reduction(uint n, global const uint *restrict x, global uint *restrict sums)
{
    local uint part[GROUP];
    size_t local_id = get_local_id(0), i = get_global_id(0);
    part[local_id] = i < n ? x[i] : 0;
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (local_id < half_size)
            part[local_id] += part[local_id + half_size];
    }
    if (local_id == 0)
        sums[get_group_id(0)] = part[0];
}
