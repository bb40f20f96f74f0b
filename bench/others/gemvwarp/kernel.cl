kernel void gemvwarp(uint rows, uint columns, global const float *restrict a,
                     global const float *restrict x, global float *restrict y)
{
    local float partial[256];
    uint item = get_local_id(0), r = get_global_id(0) >> 5, lane = item & 31;
    float sum = 0.0f;
    for (uint j = lane; j < columns; j += 32)
        sum += a[r * columns + j] * x[j];
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
