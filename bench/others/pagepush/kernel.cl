kernel void pagepush(uint n, global const uint *restrict row, global const uint *restrict col,
                     global const uint *restrict rank, global uint *restrict next)
{
    size_t v = get_global_id(0);
    if (v >= n)
        return;
    uint first = row[v], end = row[v + 1];
    if (first == end)
        return;
    uint share = rank[v] / (end - first);
    for (uint e = first; e < end; e++)
        atomic_add(&next[col[e]], share);
}
