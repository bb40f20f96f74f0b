kernel void revenue(uint n, uint groups, global const ushort *restrict day,
                    global const uchar *restrict discount, global const uchar *restrict quantity,
                    global const uint *restrict price, global ulong *restrict sum)
{
    local ulong partial[256];
    uint item = get_local_id(0);
    ulong total = 0;
    for (uint i = get_global_id(0); i < n; i += groups * 256)
        if (day[i] >= 700 && day[i] < 1065 && discount[i] >= 5 && discount[i] <= 7
            && quantity[i] < 24)
            total += (ulong)price[i] * discount[i];
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
