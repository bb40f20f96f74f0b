export void viterbi(uniform int n, uniform int steps, uniform const uint32 change[],
                    uniform const uint32 shown[], uniform const uint8 seen[],
                    uniform uint32 cost[], uniform uint32 end[])
{
    foreach (i = 0 ... n) {
        uint32 score[8], next[8];
        for (uniform int k = 0; k < 8; k++)
            score[k] = 0;
        for (uniform int step = 0; step < steps; step++) {
            uint32 symbol = seen[step * n + i];
            for (uniform int to = 0; to < 8; to++) {
                uint32 best = score[0] + change[to];
                for (uniform int from = 1; from < 8; from++)
                    best = min(best, score[from] + change[from * 8 + to]);
                next[to] = best + shown[symbol * 8 + to];
            }
            for (uniform int k = 0; k < 8; k++)
                score[k] = next[k];
        }
        uint32 least = score[0], last = 0;
        for (uniform int k = 1; k < 8; k++)
            if (score[k] < least) {
                least = score[k];
                last = k;
            }
        cost[i] = least;
        end[i] = last;
    }
}
