kernel void boruvka(uint edges, global const uint *restrict from, global const uint *restrict to,
                    global const uint *restrict weight, global const uint *restrict part,
                    global uint *restrict least)
{
    uint e = get_global_id(0);
    if (e >= edges)
        return;
    uint a = part[from[e]], b = part[to[e]], w = weight[e];
    if (a != b) {
        if (w < least[a])
            atomic_min(&least[a], w);
        if (w < least[b])
            atomic_min(&least[b], w);
    }
}
