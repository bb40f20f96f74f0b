#define TILE 32

kernel void matmul4(uint n, uint inner, global const float *restrict a,
                    global const float *restrict b, global float *restrict c)
{
    local float as[TILE][TILE], bs[TILE][TILE];
    uint tx = get_local_id(0), ty = get_local_id(1);
    uint column = get_group_id(0) * TILE + tx, row = get_group_id(1) * TILE + ty;
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (uint t = 0; t < inner; t += TILE) {
        for (uint j = 0; j < TILE; j += 8) {
            as[ty + j][tx] = a[(row + j) * inner + t + tx];
            bs[ty + j][tx] = b[(t + ty + j) * n + column];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; k++)
            for (uint j = 0; j < 4; j++)
                sum[j] += as[ty + 8 * j][k] * bs[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint j = 0; j < 4; j++)
        c[(row + 8 * j) * n + column] = sum[j];
}
