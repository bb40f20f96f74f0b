#define STATES 64

kernel void trellis(uint frames, uint steps, global const int *restrict soft,
                    global uchar *restrict choice, global int *restrict cost)
{
    local int costs[2][STATES];
    uint s = get_local_id(0), frame = get_group_id(0);
    int first = popcount(s & 109) & 1, second = popcount(s & 79) & 1, better = 0;
    costs[0][s] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint t = 0; t < steps; t++) {
        uint at = frame * steps + t;
        int a = soft[2 * at], b = soft[2 * at + 1];
        int metric = (first ? a : -a) + (second ? b : -b);
        int low = costs[t & 1][s / 2] + metric, high = costs[t & 1][s / 2 + STATES / 2] - metric;
        better = high < low ? high : low;
        costs[(t + 1) & 1][s] = better;
        choice[at * STATES + s] = high < low;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    cost[frame * STATES + s] = better;
}
