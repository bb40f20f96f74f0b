#define STEPS 60
#define NODES (2 * STEPS + 1)

export void trinomial(uniform int n, uniform double up, uniform double middle, uniform double down,
                      uniform const double power[], uniform const double strike[],
                      uniform double value[])
{
    for (uniform int option = 0; option < n; option++) {
        uniform double level[NODES], next[NODES], early[NODES];
        foreach (l = 0 ... NODES)
            level[l] = early[l] = max(strike[option] - 100 * power[l], (double)0);
        for (uniform int step = 1; step <= STEPS; step++) {
            foreach (l = step ... NODES - step)
                next[l] = max(up * level[l + 1] + middle * level[l] + down * level[l - 1],
                              early[l]);
            foreach (l = step ... NODES - step)
                level[l] = next[l];
        }
        value[option] = level[STEPS];
    }
}
