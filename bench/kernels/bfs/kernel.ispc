export void bfs(uniform int n, uniform const uint32 row[], uniform const uint32 col[],
                uniform int32 level[], uniform int32 current, uniform uint32 changed[])
{
    int found = 0;
    foreach (v = 0 ... n) {
        if (level[v] == current) {
            for (int e = row[v]; e < row[v + 1]; e++) {
                int u = col[e];
                if (level[u] < 0) {
                    level[u] = current + 1;
                    found = 1;
                }
            }
        }
    }
    if (any(found != 0))
        changed[0] = 1;
}
