#define LENGTH 64

kernel void nussinov(uint n, global const uchar *restrict base, global uint *restrict pairs)
{
    local uchar strand[LENGTH];
    local uchar most[LENGTH][LENGTH];
    uint i = get_local_id(0);
    strand[i] = base[get_group_id(0) * LENGTH + i];
    most[i][i] = 0;
    for (uint d = 1; d < LENGTH; d++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint j = i + d;
        if (j < LENGTH) {
            uint best = strand[i] + strand[j] == 3;
            if (d > 1)
                best += most[i + 1][j - 1];
            for (uint k = i; k < j; k++)
                best = max(best, (uint)most[i][k] + most[k + 1][j]);
            most[i][j] = best;
        }
    }
    if (i == 0)
        pairs[get_group_id(0)] = most[0][LENGTH - 1];
}
