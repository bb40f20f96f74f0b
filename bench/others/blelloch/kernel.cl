#define HALF 256
#define PLACE(i) ((i) + ((i) >> 5))

kernel void blelloch(uint n, global const uint *restrict x, global uint *restrict y)
{
    local uint sum[2 * HALF + HALF / 16];
    uint l = get_local_id(0), first = get_group_id(0) * 2 * HALF;
    sum[PLACE(l)] = x[first + l];
    sum[PLACE(l + HALF)] = x[first + l + HALF];
    uint distance = 1;
    for (uint items = HALF; items > 0; items /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < items) {
            uint a = distance * (2 * l + 1) - 1, b = a + distance;
            sum[PLACE(b)] += sum[PLACE(a)];
        }
        distance *= 2;
    }
    if (l == 0)
        sum[PLACE(2 * HALF - 1)] = 0;
    for (uint items = 1; items <= HALF; items *= 2) {
        distance /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < items) {
            uint a = distance * (2 * l + 1) - 1, b = a + distance;
            uint left = sum[PLACE(a)];
            sum[PLACE(a)] = sum[PLACE(b)];
            sum[PLACE(b)] += left;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    y[first + l] = sum[PLACE(l)];
    y[first + l + HALF] = sum[PLACE(l + HALF)];
}
