#define SIDE 5
#define GROUP 16
#define TILE (GROUP + SIDE - 1)

kernel void convolution(uint n, global const float *restrict weight, global const float *restrict x,
                        global float *restrict y)
{
    local float tile[TILE][TILE];
    uint tx = get_local_id(0), ty = get_local_id(1);
    uint column = get_group_id(0) * GROUP, row = get_group_id(1) * GROUP;
    uint width = n + SIDE - 1;
    for (uint r = ty; r < TILE; r += GROUP)
        for (uint c = tx; c < TILE; c += GROUP)
            tile[r][c] = x[(row + r) * width + column + c];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (uint i = 0; i < SIDE; i++)
        for (uint j = 0; j < SIDE; j++)
            sum += weight[i * SIDE + j] * tile[ty + i][tx + j];
    y[(row + ty) * n + column + tx] = sum;
}
