export void sssp(uniform int n, uniform const uint32 row[], uniform const uint32 col[],
                 uniform const uint32 weight[], uniform uint32 dist[], uniform uint32 changed[])
{
    int found = 0;
    foreach (v = 0 ... n) {
        uint32 own = dist[v];
        if (own != 0xffffffff) {
            for (int e = row[v]; e < row[v + 1]; e++) {
                int u = col[e];
                uint32 length = own + weight[e];
                if (length < dist[u]) {
                    atomic_min_global(&dist[u], length);
                    found = 1;
                }
            }
        }
    }
    if (any(found != 0))
        changed[0] = 1;
}
