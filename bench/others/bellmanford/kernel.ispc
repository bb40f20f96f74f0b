export void bellmanford(uniform int n, uniform const uint32 from[], uniform const uint32 to[],
                        uniform const uint32 weight[], uniform uint32 distance[],
                        uniform uint32 again[])
{
    foreach (i = 0 ... n) {
        uint32 near = distance[from[i]], node = to[i];
        if (near != 0xffffffff) {
            near += weight[i];
            if (near < distance[node]) {
                atomic_min_local(&distance[node], near);
                again[0] = 1;
            }
        }
    }
}
