#define TILE 32
#define DEPTH 8

kernel void regtile(uint n, global const float *restrict a, global const float *restrict b,
                    global float *restrict c)
{
    local float as[DEPTH][TILE], bs[DEPTH][TILE];
    uint tx = get_local_id(0), ty = get_local_id(1);
    uint column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
    float sum[4][4];
    for (uint i = 0; i < 4; i++)
        for (uint j = 0; j < 4; j++)
            sum[i][j] = 0;
    for (uint t = 0; t < n; t += DEPTH) {
        for (uint j = 0; j < 4; j++) {
            as[tx][ty + 8 * j] = a[(row + ty + 8 * j) * n + t + tx];
            bs[ty][tx + 8 * j] = b[(t + ty) * n + column + tx + 8 * j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < DEPTH; k++)
            for (uint i = 0; i < 4; i++)
                for (uint j = 0; j < 4; j++)
                    sum[i][j] = fma(as[k][ty + 8 * i], bs[k][tx + 8 * j], sum[i][j]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = 0; i < 4; i++)
        for (uint j = 0; j < 4; j++)
            c[(row + ty + 8 * i) * n + column + tx + 8 * j] = sum[i][j];
}
