#define WORDS 8

kernel void hamming(uint n, uint m, global const uint *restrict query,
                    global const uint *restrict known, global uint *restrict match,
                    global float *restrict ratio)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint mine[WORDS];
    for (int w = 0; w < WORDS; w++)
        mine[w] = query[i * WORDS + w];
    uint best = 257, second = 257, which = 0;
    for (uint j = 0; j < m; j++) {
        uint apart = 0;
        for (int w = 0; w < WORDS; w++)
            apart += popcount(mine[w] ^ known[j * WORDS + w]);
        if (apart < best) {
            second = best;
            best = apart;
            which = j;
        } else if (apart < second)
            second = apart;
    }
    match[i] = which;
    ratio[i] = (float)best / (float)second;
}
