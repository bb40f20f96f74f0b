#define STATES 64

export void trellis(uniform int frames, uniform int steps, uniform const int soft[],
                    uniform uint8 choice[], uniform int cost[])
{
    for (uniform int frame = 0; frame < frames; frame++) {
        uniform int costs[2][STATES];
        foreach (s = 0 ... STATES)
            costs[0][s] = 0;
        for (uniform int t = 0; t < steps; t++) {
            uniform int at = frame * steps + t;
            uniform int a = soft[2 * at], b = soft[2 * at + 1];
            foreach (s = 0 ... STATES) {
                int first = popcnt(s & 109) & 1, second = popcnt(s & 79) & 1;
                int metric = (first != 0 ? a : -a) + (second != 0 ? b : -b);
                int low = costs[t & 1][s / 2] + metric;
                int high = costs[t & 1][s / 2 + STATES / 2] - metric;
                costs[(t + 1) & 1][s] = high < low ? high : low;
                choice[at * STATES + s] = high < low ? 1 : 0;
            }
        }
        foreach (s = 0 ... STATES)
            cost[frame * STATES + s] = costs[steps & 1][s];
    }
}
