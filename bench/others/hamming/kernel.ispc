#define WORDS 8

export void hamming(uniform int n, uniform int m, uniform const unsigned int query[],
                    uniform const unsigned int known[], uniform unsigned int match[],
                    uniform float ratio[])
{
    foreach (i = 0 ... n) {
        int mine[WORDS];
        for (uniform int w = 0; w < WORDS; w++)
            mine[w] = query[i * WORDS + w];
        int best = 257, second = 257, which = 0;
        for (uniform int j = 0; j < m; j++) {
            int apart = 0;
            for (uniform int w = 0; w < WORDS; w++)
                apart += popcnt(mine[w] ^ (int)known[j * WORDS + w]);
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
}
