kernel void wyllie(uint n, global const uint *restrict next, global const uint *restrict rank,
                   global uint *restrict after, global uint *restrict ranks)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint j = next[i];
    ranks[i] = rank[i] + rank[j];
    after[i] = next[j];
}
