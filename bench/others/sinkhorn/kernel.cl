kernel void sinkhorn(uint rounds, global const float *restrict cost,
                     global const float *restrict mass, global float *restrict plan, uint pairs)
{
    local float k[256];
    local float u[16];
    local float v[16];
    uint x = get_local_id(0), y = get_local_id(1), pair = get_group_id(0);
    uint l = y * 16 + x;
    k[l] = exp2(cost[pair * 256 + l] * -14.426950f);
    if (y == 0) {
        u[x] = 1.0f;
        v[x] = 1.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint round = 0; round < rounds; round++) {
        if (y == 0) {
            float sum = 0.0f;
            for (uint j = 0; j < 16; j++)
                sum += k[x * 16 + j] * v[j];
            u[x] = mass[pair * 32 + x] / sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (y == 0) {
            float sum = 0.0f;
            for (uint j = 0; j < 16; j++)
                sum += k[j * 16 + x] * u[j];
            v[x] = mass[pair * 32 + 16 + x] / sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    plan[pair * 256 + l] = u[y] * k[l] * v[x];
}
