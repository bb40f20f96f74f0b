kernel void pagerank(uint n, global const uint *restrict row, global const uint *restrict col,
                     global const uint *restrict degree, global const float *restrict rank,
                     global float *restrict next)
{
    size_t v = get_global_id(0);
    if (v >= n)
        return;
    float sum = 0.0f;
    for (uint e = row[v]; e < row[v + 1]; e++) {
        uint u = col[e];
        sum += rank[u] / degree[u];
    }
    next[v] = 0.15f / n + 0.85f * sum;
}
