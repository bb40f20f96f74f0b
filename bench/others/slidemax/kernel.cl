#define GROUP 256
#define WINDOW 32

kernel void slidemax(uint n, global const int *restrict x, global int *restrict y)
{
    local int tile[GROUP + WINDOW - 1];
    uint l = get_local_id(0), i = get_global_id(0);
    tile[l] = x[i];
    if (l < WINDOW - 1)
        tile[l + GROUP] = x[i + GROUP];
    barrier(CLK_LOCAL_MEM_FENCE);
    int largest = tile[l];
    for (uint k = 1; k < WINDOW; k++)
        largest = max(largest, tile[l + k]);
    y[i] = largest;
}
