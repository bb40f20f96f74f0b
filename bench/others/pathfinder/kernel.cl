#define GROUP 256

kernel void pathfinder(uint steps, uint cols, uint first, uint border, global const int *restrict wall,
                       global const int *restrict source, global int *restrict target)
{
    local int before[GROUP], after[GROUP];
    int tx = get_local_id(0);
    int start = (int)((GROUP - 2 * border) * get_group_id(0)) - (int)border;
    int x = start + tx, end = start + GROUP - 1;
    int low = max(-start, 0), high = GROUP - 1 - max(end - (int)cols + 1, 0);
    int west = max(tx - 1, low), east = min(tx + 1, high);
    bool inside = tx >= low && tx <= high, computed = false;
    if (inside)
        before[tx] = source[x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < steps; i++) {
        computed = inside && tx >= i + 1 && tx <= GROUP - 2 - i;
        if (computed)
            after[tx] = min(min(before[west], before[tx]), before[east]) + wall[(first + i) * cols + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == steps - 1)
            break;
        if (computed)
            before[tx] = after[tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (computed)
        target[x] = after[tx];
}
