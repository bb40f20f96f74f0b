#define LENGTH 64

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void nussinov(uniform int n, uniform const uint8 base[], uniform uint32 pairs[])
{
    for (uniform int g = 0; g < n; g++) {
        uniform uint8 most[LENGTH][LENGTH];
        foreach (i = 0 ... LENGTH)
            most[i][i] = 0;
        for (uniform int d = 1; d < LENGTH; d++) {
            foreach (i = 0 ... LENGTH - d) {
                int j = i + d;
                int best = (int)base[g * LENGTH + i] + base[g * LENGTH + j] == 3 ? 1 : 0;
                if (d > 1)
                    best += most[i + 1][j - 1];
                for (int k = i; k < j; k++)
                    best = max(best, (int)most[i][k] + (int)most[k + 1][j]);
                most[i][j] = best;
            }
        }
        pairs[g] = most[0][LENGTH - 1];
    }
}
