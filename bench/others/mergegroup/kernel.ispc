/* A block at a time: a barrier is the end of a foreach. */
export void mergegroup(uniform const uint32 x[], uniform uint32 y[], uniform int blocks)
{
    for (uniform int block = 0; block < blocks; block++) {
        uniform uint32 one[256], two[256];
        foreach (l = 0 ... 256)
            one[l] = x[block * 256 + l];
        for (uniform int run = 1; run < 256; run *= 2) {
            foreach (l = 0 ... 256) {
                uint32 mine = one[l];
                int base = l & ~(run * 2 - 1);
                int right = l & run;
                int other = base + (run - right);
                int low = 0, high = run;
                while (low < high) {
                    int middle = (low + high) / 2;
                    uint32 v = one[other + middle];
                    if (v < mine || (v == mine && right != 0))
                        low = middle + 1;
                    else
                        high = middle;
                }
                two[base + (l & (run - 1)) + low] = mine;
            }
            foreach (l = 0 ... 256)
                one[l] = two[l];
        }
        foreach (l = 0 ... 256)
            y[block * 256 + l] = one[l];
    }
}
