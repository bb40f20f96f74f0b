#define TILE 16

kernel void qgemm(uint n, uint k, global const char *restrict a, global const char *restrict b,
                  global int *restrict c)
{
    local char left[TILE][TILE], right[TILE][TILE];
    uint tx = get_local_id(0), ty = get_local_id(1);
    uint column = get_global_id(0), row = get_global_id(1);
    int sum = 0;
    for (uint first = 0; first < k; first += TILE) {
        left[ty][tx] = a[row * k + first + tx];
        right[ty][tx] = b[(first + ty) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < TILE; i++)
            sum += (int)left[ty][i] * right[i][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
