#define SIDE 16

kernel void ludiag(uint blocks, global float *restrict m)
{
    local float block[SIDE][SIDE];
    uint t = get_local_id(0);
    m += get_group_id(0) * SIDE * SIDE + t;
    for (int i = 0; i < SIDE; i++)
        block[i][t] = m[i * SIDE];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < SIDE - 1; i++) {
        if (t > i) {
            float sum = block[t][i];
            for (int j = 0; j < i; j++)
                sum -= block[t][j] * block[j][i];
            block[t][i] = sum / block[i][i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t > i) {
            float sum = block[i + 1][t];
            for (int j = 0; j <= i; j++)
                sum -= block[i + 1][j] * block[j][t];
            block[i + 1][t] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < SIDE; i++)
        m[i * SIDE] = block[i][t];
}
