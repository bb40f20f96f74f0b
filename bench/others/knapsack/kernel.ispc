#define GROUP 192

export void knapsack(uniform int n, uniform int items, uniform const uint32 weight[],
                     uniform const uint32 value[], uniform uint32 best[])
{
    for (uniform int problem = 0; problem < n / GROUP; problem++) {
        uniform uint32 sum[GROUP], other[GROUP];
        foreach (l = 0 ... GROUP)
            sum[l] = 0;
        for (uniform int k = 0; k < items; k++) {
            uniform int w = weight[problem * items + k];
            uniform uint32 v = value[problem * items + k];
            foreach (l = 0 ... GROUP) {
                uint32 own = sum[l];
                if (l >= w)
                    own = max(own, sum[l - w] + v);
                other[l] = own;
            }
            foreach (l = 0 ... GROUP)
                sum[l] = other[l];
        }
        foreach (l = 0 ... GROUP)
            best[problem * GROUP + l] = sum[l];
    }
}
