export void pagerank(uniform int n, uniform const uint32 row[], uniform const uint32 col[],
                     uniform const uint32 degree[], uniform const float rank[],
                     uniform float next[])
{
    foreach (v = 0 ... n) {
        float sum = 0.0f;
        for (int e = row[v]; e < row[v + 1]; e++) {
            int u = col[e];
            sum += rank[u] / degree[u];
        }
        next[v] = 0.15f / n + 0.85f * sum;
    }
}
