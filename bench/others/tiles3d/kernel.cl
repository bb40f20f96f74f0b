#define WIDTH 10
#define DEPTH 6
#define TILE (WIDTH * WIDTH * DEPTH)
#define ITEMS 256

kernel void tiles3d(uint n, global const float *restrict x, global float *restrict y)
{
    local float tile[DEPTH][WIDTH][WIDTH];
    uint tx = get_local_id(0), ty = get_local_id(1), tz = get_local_id(2);
    uint column = get_group_id(0) * 8, row = get_group_id(1) * 8, plane = get_group_id(2) * 4;
    uint width = n + 2;
    for (uint i = (tz * 8 + ty) * 8 + tx; i < TILE; i += ITEMS) {
        uint z = i / (WIDTH * WIDTH), r = i % (WIDTH * WIDTH);
        uint place = ((plane + z) * width + row + r / WIDTH) * width + column + r % WIDTH;
        tile[z][r / WIDTH][r % WIDTH] = x[place];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float near = tile[tz + 1][ty + 1][tx] + tile[tz + 1][ty + 1][tx + 2] + tile[tz + 1][ty][tx + 1]
                 + tile[tz + 1][ty + 2][tx + 1] + tile[tz][ty + 1][tx + 1]
                 + tile[tz + 2][ty + 1][tx + 1];
    uint i = ((plane + tz) * n + row + ty) * n + column + tx;
    y[i] = near - 6.0f * tile[tz + 1][ty + 1][tx + 1];
}
