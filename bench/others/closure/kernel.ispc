/* A graph at a time: a barrier is the end of a foreach. */
export void closure(uniform const uint64 from[], uniform uint64 to[], uniform int graphs)
{
    for (uniform int g = 0; g < graphs; g++) {
        uniform uint64 rows[64];
        foreach (l = 0 ... 64)
            rows[l] = from[g * 64 + l];
        for (uniform int k = 0; k < 64; k++) {
            uniform uint64 row = rows[k];
            foreach (l = 0 ... 64) {
                uint64 mine = rows[l];
                if ((mine >> k & 1) != 0)
                    mine |= row;
                rows[l] = mine;
            }
        }
        foreach (l = 0 ... 64)
            to[g * 64 + l] = rows[l];
    }
}
