export void pagepush(uniform int n, uniform const uint32 row[], uniform const uint32 col[],
                     uniform const uint32 rank[], uniform uint32 next[])
{
    foreach (v = 0 ... n) {
        int first = row[v], end = row[v + 1];
        if (first < end) {
            uint32 share = rank[v] / (uint32)max(end - first, 1);
            for (int e = first; e < end; e++)
                atomic_add_global(&next[col[e]], share);
        }
    }
}
