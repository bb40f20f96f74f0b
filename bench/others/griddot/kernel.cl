kernel void griddot(uint n, uint groups, global const float *restrict x,
                    global const float *restrict y, global float *restrict sum)
{
    local float partial[256];
    uint item = get_local_id(0);
    float total = 0.0f;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        total += x[i] * y[i];
    partial[item] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 128; step > 0; step >>= 1) {
        if (item < step)
            partial[item] += partial[item + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        sum[get_group_id(0)] = partial[0];
}
