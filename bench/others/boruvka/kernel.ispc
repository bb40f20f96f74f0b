export void boruvka(uniform int edges, uniform const uint32 from[], uniform const uint32 to[],
                    uniform const uint32 weight[], uniform const uint32 part[],
                    uniform uint32 least[])
{
    foreach (e = 0 ... edges) {
        uint32 a = part[from[e]], b = part[to[e]], w = weight[e];
        if (a != b) {
            if (w < least[a])
                atomic_min_global(&least[a], w);
            if (w < least[b])
                atomic_min_global(&least[b], w);
        }
    }
}
