kernel void bfs(uint n, global const uint *row, global const uint *col, global int *level,
                int current, global uint *changed)
{
    size_t v = get_global_id(0);
    if (v >= n || level[v] != current)
        return;
    for (uint e = row[v]; e < row[v + 1]; e++) {
        uint u = col[e];
        if (level[u] < 0) {
            level[u] = current + 1;
            *changed = 1;
        }
    }
}
