export void smithwaterman(uniform int n, uniform int d, uniform const uint8 a[],
                          uniform const uint8 b[], uniform int32 score[])
{
    uniform int row = n + 1;
    foreach (k = 0 ... n) {
        int i = k + 1;
        int j = d - i;
        if (j >= 1 && j <= n) {
            int match = a[i - 1] == b[j - 1] ? 3 : -2;
            int best = max(score[(i - 1) * row + j - 1] + match, 0);
            score[i * row + j] = max(best, max(score[(i - 1) * row + j], score[i * row + j - 1]) - 1);
        }
    }
}
