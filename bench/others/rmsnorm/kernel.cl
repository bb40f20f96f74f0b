kernel void rmsnorm(uint rows, uint columns, global const float *restrict x,
                    global const float *restrict gain, global float *restrict y)
{
    local float part[64];
    uint l = get_local_id(0), row = get_group_id(0), first = row * columns;
    float sum = 0.0f;
    for (uint k = l; k < columns; k += 64)
        sum += x[first + k] * x[first + k];
    part[l] = sum;
    for (uint step = 32; step != 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step)
            part[l] += part[l + step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float scale = 1.0f / sqrt(part[0] / (float)columns + 0.000001f);
    for (uint k = l; k < columns; k += 64)
        y[first + k] = x[first + k] * scale * gain[k];
}
