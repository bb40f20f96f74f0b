#define GROUP 256
#define ROWS 8

kernel void pathfinder(uint columns, uint first, global const int *restrict wall,
                       global const int *restrict from, global int *restrict to)
{
    local int before[GROUP];
    int l = get_local_id(0);
    int x = (int)get_group_id(0) * (GROUP - 2 * ROWS) + l - ROWS;
    bool inside = x >= 0 && x < (int)columns;
    int left = max(l - 1, x <= 0 ? l : 0);
    int right = min(l + 1, x >= (int)columns - 1 ? l : GROUP - 1);
    int best = 0;
    before[l] = inside ? from[x] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < ROWS; r++) {
        bool computes = inside && l > r && l < GROUP - 1 - r;
        if (computes) {
            int least = min(before[l], min(before[left], before[right]));
            best = least + wall[(first + r) * columns + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (computes)
            before[l] = best;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (inside && l >= ROWS && l < GROUP - ROWS)
        to[x] = best;
}
