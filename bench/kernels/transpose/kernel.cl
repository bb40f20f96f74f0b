#define TILE 16

kernel void transpose(uint n, global const uint *restrict x, global uint *restrict y)
{
    local uint tile[TILE][TILE + 1];
    size_t tx = get_local_id(0), ty = get_local_id(1);
    tile[ty][tx] = x[get_global_id(1) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    size_t column = get_group_id(1) * TILE + tx, row = get_group_id(0) * TILE + ty;
    y[row * n + column] = tile[tx][ty];
}
