export void xdrop(uniform int n, uniform const uint8 query[], uniform const uint8 subject[],
                  uniform const int8 scores[], uniform const uint32 seed_q[],
                  uniform const uint32 seed_s[], uniform int best[])
{
    foreach (i = 0 ... n) {
        uint32 p = seed_q[i], q = seed_s[i];
        int score = 0, most = 0;
        while (query[p] < 24 && subject[q] < 24) {
            score += scores[(uint32)query[p] * 24 + (uint32)subject[q]];
            if (score > most)
                most = score;
            if (score < most - 12)
                break;
            p++;
            q++;
        }
        best[i] = most;
    }
}
