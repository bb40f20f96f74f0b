#define LENGTH 64

kernel void lcs(uint pairs, global const uchar *restrict a, global const uchar *restrict b,
                global uint *restrict length)
{
    local uint cells[3][LENGTH + 1];
    uint i = get_local_id(0), pair = get_group_id(0), cell = 0;
    for (uint k = 0; k < 3; k++) {
        cells[k][i] = 0;
        cells[k][LENGTH] = 0;
    }
    uchar letter = a[pair * LENGTH + i];
    uint now = 0, last = 1, before = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 0; d < 2 * LENGTH - 1; d++) {
        uint j = d - i;
        if (j < LENGTH) {
            if (letter == b[pair * LENGTH + j])
                cell = cells[before][i] + 1;
            else
                cell = max(cells[last][i], cells[last][i + 1]);
            cells[now][i + 1] = cell;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint unused = before;
        before = last;
        last = now;
        now = unused;
    }
    if (i == LENGTH - 1)
        length[pair] = cell;
}
