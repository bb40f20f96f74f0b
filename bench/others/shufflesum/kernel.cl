#define GROUP 256
#define ROW 32

kernel void shufflesum(uint n, global const uint *restrict x, global uint *restrict sums)
{
    local uint part[GROUP];
    uint i = get_global_id(0), l = get_local_id(0), lane = l % ROW;
    part[l] = i < n ? x[i] : 0;
    for (uint distance = ROW / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < distance)
            part[l] += part[l + distance];
    }
    if (i < n && lane == 0)
        sums[i / ROW] = part[l];
}
