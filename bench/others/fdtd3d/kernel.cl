#define RADIUS 4
#define WIDTH 32
#define HEIGHT 8

kernel void fdtd3d(uint n, uint planes, global const float *restrict weight,
                   global const float *restrict x, global float *restrict y)
{
    local float tile[HEIGHT + 2 * RADIUS][WIDTH + 2 * RADIUS];
    uint tx = get_local_id(0), ty = get_local_id(1);
    uint width = n + 2 * RADIUS, plane = width * width;
    uint i = (get_global_id(1) + RADIUS) * width + get_global_id(0) + RADIUS;
    float behind[RADIUS], before[RADIUS];
    for (int r = 0; r < RADIUS; r++)
        behind[RADIUS - 1 - r] = x[i + r * plane];
    float present = x[i + RADIUS * plane];
    for (int r = 0; r < RADIUS - 1; r++)
        before[r] = x[i + (RADIUS + 1 + r) * plane];
    i += RADIUS * plane;
    for (uint z = 0; z < planes; z++) {
        before[RADIUS - 1] = x[i + RADIUS * plane];
        tile[ty + RADIUS][tx + RADIUS] = present;
        if (ty < RADIUS) {
            tile[ty][tx + RADIUS] = x[i - RADIUS * width];
            tile[ty + HEIGHT + RADIUS][tx + RADIUS] = x[i + HEIGHT * width];
        }
        if (tx < RADIUS) {
            tile[ty + RADIUS][tx] = x[i - RADIUS];
            tile[ty + RADIUS][tx + WIDTH + RADIUS] = x[i + WIDTH];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        float sum = weight[0] * present;
        for (int r = 1; r <= RADIUS; r++)
            sum += weight[r]
                   * (behind[r - 1] + before[r - 1] + tile[ty + RADIUS - r][tx + RADIUS]
                      + tile[ty + RADIUS + r][tx + RADIUS] + tile[ty + RADIUS][tx + RADIUS - r]
                      + tile[ty + RADIUS][tx + RADIUS + r]);
        y[i] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int r = RADIUS - 1; r > 0; r--)
            behind[r] = behind[r - 1];
        behind[0] = present;
        present = before[0];
        for (int r = 0; r < RADIUS - 1; r++)
            before[r] = before[r + 1];
        i += plane;
    }
}
