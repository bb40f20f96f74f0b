kernel void xdrop(uint n, global const uchar *restrict query,
                  global const uchar *restrict subject, global const char *restrict scores,
                  global const uint *restrict seed_q, global const uint *restrict seed_s,
                  global int *restrict best)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint p = seed_q[i], q = seed_s[i];
    int score = 0, most = 0;
    while (query[p] < 24 && subject[q] < 24) {
        score += scores[(uint)query[p] * 24 + (uint)subject[q]];
        if (score > most)
            most = score;
        if (score < most - 12)
            break;
        p++;
        q++;
    }
    best[i] = most;
}
