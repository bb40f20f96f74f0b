#define GROUP 256
#define HALO 8

kernel void stencil(uint n, global const float *restrict weight, global const float *restrict x,
                    global float *restrict y)
{
    local float tile[GROUP + HALO];
    size_t l = get_local_id(0), i = get_global_id(0);
    tile[l] = x[i];
    if (l < HALO)
        tile[l + GROUP] = x[i + GROUP];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (uint k = 0; k <= HALO; k++)
        sum += weight[k] * tile[l + k];
    y[i] = sum;
}
