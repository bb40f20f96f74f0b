#define WIDTH 32
#define HEIGHT 8

kernel void heat(uint n, uint planes, float rate, global const float *restrict x,
                 global float *restrict y)
{
    local float tile[HEIGHT + 2][WIDTH + 2];
    uint tx = get_local_id(0), ty = get_local_id(1);
    uint width = n + 2, plane = width * width;
    uint i = (get_global_id(1) + 1) * width + get_global_id(0) + 1;
    float last = x[i], present = x[i + plane];
    for (uint z = 0; z < planes; z++) {
        i += plane;
        float next = x[i + plane];
        tile[ty + 1][tx + 1] = present;
        if (tx == 0)
            tile[ty + 1][0] = x[i - 1];
        if (tx == WIDTH - 1)
            tile[ty + 1][WIDTH + 1] = x[i + 1];
        if (ty == 0)
            tile[0][tx + 1] = x[i - width];
        if (ty == HEIGHT - 1)
            tile[HEIGHT + 1][tx + 1] = x[i + width];
        barrier(CLK_LOCAL_MEM_FENCE);
        float near = tile[ty + 1][tx] + tile[ty + 1][tx + 2] + tile[ty][tx + 1] + tile[ty + 2][tx + 1]
                     + last + next;
        y[i] = present + rate * (near - 6.0f * present);
        barrier(CLK_LOCAL_MEM_FENCE);
        last = present;
        present = next;
    }
}
