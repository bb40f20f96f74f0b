#define SIDE 16

kernel void backprop(uint n, global const float *restrict x, global float *restrict weight,
                     global float *restrict partial)
{
    local float input[SIDE], product[SIDE][SIDE];
    uint tx = get_local_id(0), ty = get_local_id(1), group = get_group_id(1);
    uint i = group * SIDE + ty;
    if (tx == 0)
        input[ty] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float value = weight[i * SIDE + tx] * input[ty];
    product[ty][tx] = value;
    for (uint distance = 1; distance < SIDE; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (ty % (2 * distance) == 0)
            product[ty][tx] += product[ty + distance][tx];
    }
    weight[i * SIDE + tx] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (ty == 0)
        partial[group * SIDE + tx] = product[0][tx];
}
