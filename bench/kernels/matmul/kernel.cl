#define TILE 16

kernel void matmul(uint n, global const float *restrict a, global const float *restrict b,
                   global float *restrict c)
{
    local float as[TILE][TILE], bs[TILE][TILE];
    size_t tx = get_local_id(0), ty = get_local_id(1);
    size_t column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (uint t = 0; t < n; t += TILE) {
        as[ty][tx] = a[row * n + t + tx];
        bs[ty][tx] = b[(t + ty) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
