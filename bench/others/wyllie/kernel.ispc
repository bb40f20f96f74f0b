export void wyllie(uniform int n, uniform const uint32 next[], uniform const uint32 rank[],
                   uniform uint32 after[], uniform uint32 ranks[])
{
    foreach (i = 0 ... n) {
        uint32 j = next[i];
        ranks[i] = rank[i] + rank[j];
        after[i] = next[j];
    }
}
