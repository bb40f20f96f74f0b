#define ROW 32

/* The library has the compaction. */
export void ballot(uniform int n, uniform uint32 limit, uniform const uint32 x[],
                   uniform uint32 y[], uniform uint32 counts[])
{
    for (uniform int row = 0; row < n / ROW; row++) {
        uniform int count = 0;
        foreach (l = 0 ... ROW) {
            uint32 value = x[row * ROW + l];
            if (value < limit)
                count += packed_store_active(&y[row * ROW + count], value);
        }
        counts[row] = count;
    }
}
