kernel void csrvector(uint rows, global const uint *restrict row, global const uint *restrict col,
                      global const float *restrict value, global const float *restrict x,
                      global float *restrict y)
{
    local float partial[256];
    uint item = get_local_id(0), r = get_global_id(0) >> 5, lane = item & 31;
    float sum = 0.0f;
    uint end = row[r + 1];
    for (uint e = row[r] + lane; e < end; e += 32)
        sum += value[e] * x[col[e]];
    partial[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 16; step > 0; step >>= 1) {
        if (lane < step)
            partial[item] += partial[item + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0)
        y[r] = partial[item];
}
