#define TILE 32
#define ROWS 8

kernel void transpose32(uint n, global const uint *restrict x, global uint *restrict y)
{
    local uint tile[TILE][TILE + 1];
    uint tx = get_local_id(0), ty = get_local_id(1);
    uint column = get_group_id(0) * TILE + tx, row = get_group_id(1) * TILE + ty;
    for (uint j = 0; j < TILE; j += ROWS)
        tile[ty + j][tx] = x[(row + j) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    column = get_group_id(1) * TILE + tx;
    row = get_group_id(0) * TILE + ty;
    for (uint j = 0; j < TILE; j += ROWS)
        y[(row + j) * n + column] = tile[tx][ty + j];
}
