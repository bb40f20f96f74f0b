kernel void smithwaterman(uint n, uint d, global const uchar *restrict a,
                          global const uchar *restrict b, global int *score)
{
    int i = get_global_id(0) + 1, j = (int)d - i, size = n, row = n + 1;
    if (i > size || j < 1 || j > size)
        return;
    int match = a[i - 1] == b[j - 1] ? 3 : -2;
    int best = max(score[(i - 1) * row + j - 1] + match, 0);
    score[i * row + j] = max(best, max(score[(i - 1) * row + j], score[i * row + j - 1]) - 1);
}
