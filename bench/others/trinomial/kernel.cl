#define STEPS 60
#define NODES (2 * STEPS + 1)

kernel void trinomial(uint n, double up, double middle, double down,
                      global const double *restrict power,
                      global const double *restrict strike, global double *restrict value)
{
    local double level[NODES];
    int l = get_local_id(0);
    double early = max(strike[get_group_id(0)] - 100.0 * power[l], 0.0), own = early;
    level[l] = early;
    for (int step = 1; step <= STEPS; step++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        bool inside = l >= step && l < NODES - step;
        if (inside)
            own = max(up * level[l + 1] + middle * level[l] + down * level[l - 1], early);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (inside)
            level[l] = own;
    }
    if (l == STEPS)
        value[get_group_id(0)] = own;
}
