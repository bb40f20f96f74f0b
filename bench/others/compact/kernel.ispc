#define GROUP 192

/* The library has the compaction. */
export void compact(uniform int n, uniform uint32 limit, uniform const uint32 first[],
                    uniform const uint32 x[], uniform uint32 y[])
{
    for (uniform int group = 0; group < n / GROUP; group++) {
        uniform int place = first[group];
        foreach (l = 0 ... GROUP) {
            uint32 value = x[group * GROUP + l];
            if (value < limit)
                place += packed_store_active(&y[place], value);
        }
    }
}
