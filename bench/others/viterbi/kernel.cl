kernel void viterbi(uint n, uint steps, global const uint *restrict change,
                    global const uint *restrict shown, global const uchar *restrict seen,
                    global uint *restrict cost, global uint *restrict end)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint score[8], next[8];
    for (int k = 0; k < 8; k++)
        score[k] = 0;
    for (int step = 0; step < steps; step++) {
        uint symbol = seen[step * n + i];
        for (int to = 0; to < 8; to++) {
            uint best = score[0] + change[to];
            for (int from = 1; from < 8; from++)
                best = min(best, score[from] + change[from * 8 + to]);
            next[to] = best + shown[symbol * 8 + to];
        }
        for (int k = 0; k < 8; k++)
            score[k] = next[k];
    }
    uint least = score[0], last = 0;
    for (int k = 1; k < 8; k++)
        if (score[k] < least) {
            least = score[k];
            last = k;
        }
    cost[i] = least;
    end[i] = last;
}
