#define GROUP 128

kernel void softmaxgroup(uint rows, uint columns, global const float *restrict x,
                    global float *restrict y)
{
    local float part[GROUP];
    uint l = get_local_id(0), first = get_group_id(0) * columns;
    float largest = -INFINITY;
    for (uint i = l; i < columns; i += GROUP)
        largest = fmax(largest, x[first + i]);
    part[l] = largest;
    for (uint half_ = GROUP / 2; half_ != 0; half_ /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < half_)
            part[l] = fmax(part[l], part[l + half_]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    largest = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (uint i = l; i < columns; i += GROUP) {
        float power = exp2(x[first + i] - largest);
        sum += power;
        y[first + i] = power;
    }
    part[l] = sum;
    for (uint half_ = GROUP / 2; half_ != 0; half_ /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < half_)
            part[l] += part[l + half_];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = part[0];
    for (uint i = l; i < columns; i += GROUP)
        y[first + i] /= sum;
}
