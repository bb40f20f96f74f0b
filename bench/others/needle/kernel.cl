#define TILE 16
#define PENALTY 10

kernel void needle(uint columns, uint diagonal, uint first, uint count,
                   global const int *restrict reference, global int *restrict items)
{
    local int score[TILE + 1][TILE + 1], match[TILE][TILE];
    uint l = get_local_id(0), across = first + get_group_id(0);
    uint x = across * TILE, y = (diagonal - across) * TILE;
    if (l == 0)
        score[0][0] = items[y * columns + x];
    score[l + 1][0] = items[(y + l + 1) * columns + x];
    score[0][l + 1] = items[y * columns + x + l + 1];
    for (uint k = 0; k < TILE; k++)
        match[k][l] = reference[(y + k + 1) * columns + x + l + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 0; step < 2 * TILE - 1; step++) {
        uint k = step - l;
        if (k < TILE) {
            int gap = max(score[k][l + 1], score[k + 1][l]) - PENALTY;
            score[k + 1][l + 1] = max(score[k][l] + match[k][l], gap);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint k = 0; k < TILE; k++)
        items[(y + k + 1) * columns + x + l + 1] = score[k + 1][l + 1];
}
