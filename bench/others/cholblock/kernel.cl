#define SIDE 16

kernel void cholblock(uint n, global const float *restrict a, global float *restrict factor)
{
    local float tile[SIDE][SIDE];
    uint x = get_local_id(0), y = get_local_id(1);
    size_t place = get_group_id(0) * SIDE * SIDE + y * SIDE + x;
    tile[y][x] = a[place];
    for (uint k = 0; k < SIDE; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x == k && y == k)
            tile[k][k] = sqrt(tile[k][k]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x == k && y > k)
            tile[y][k] /= tile[k][k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x > k && y >= x)
            tile[y][x] -= tile[y][k] * tile[x][k];
    }
    factor[place] = x > y ? 0.0f : tile[y][x];
}
