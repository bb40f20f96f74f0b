#define GROUP 128
#define NUMBERS (2 * GROUP)

kernel void dwt53(uint width, uint height, global const int *restrict x, global int *restrict y)
{
    local int part[NUMBERS + 3], band[GROUP + 1];
    int tx = get_local_id(0), first = (int)get_group_id(0) * NUMBERS - 2;
    int row = get_group_id(1) * width;
    for (int i = tx; i < NUMBERS + 3; i += GROUP) {
        int place = abs(first + i);
        part[i] = x[row + min(place, 2 * ((int)width - 1) - place)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = tx; i < GROUP + 1; i += GROUP)
        band[i] = part[2 * i + 1] - ((part[2 * i] + part[2 * i + 2]) >> 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint place = row + get_global_id(0);
    y[place] = part[2 * tx + 2] + ((band[tx] + band[tx + 1] + 2) >> 2);
    y[place + width / 2] = band[tx + 1];
}
