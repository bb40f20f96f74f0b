kernel void eikonal(uint width, uint height, uint rounds, global const float *restrict slow,
                    global const float *restrict before, global float *restrict after)
{
    local float time[18][18];
    local uint moved[1];
    uint x = get_local_id(0);
    uint y = get_local_id(1);
    uint gx = get_global_id(0);
    uint gy = get_global_id(1);
    uint row = width + 2;
    uint at = (gy + 1) * row + gx + 1;
    time[y + 1][x + 1] = before[at];
    if (x == 0)
        time[y + 1][0] = before[at - 1];
    if (x == 15)
        time[y + 1][17] = before[at + 1];
    if (y == 0)
        time[0][x + 1] = before[at - row];
    if (y == 15)
        time[17][x + 1] = before[at + row];
    float f = slow[gy * width + gx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint round = 0; round < rounds; round++) {
        if (x == 0 && y == 0)
            moved[0] = 0;
        float now = time[y + 1][x + 1];
        float a = fmin(time[y + 1][x], time[y + 1][x + 2]);
        float b = fmin(time[y][x + 1], time[y + 2][x + 1]);
        float low = fmin(a, b);
        float off = fabs(a - b);
        float next = low + f;
        if (off < f)
            next = 0.5f * (a + b + sqrt(2.0f * f * f - off * off));
        barrier(CLK_LOCAL_MEM_FENCE);
        if (next < now) {
            time[y + 1][x + 1] = next;
            moved[0] = 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint any = moved[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (any == 0)
            break;
    }
    after[at] = time[y + 1][x + 1];
}
