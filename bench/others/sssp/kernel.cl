kernel void sssp(uint n, global const uint *row, global const uint *col, global const uint *weight,
                 global uint *dist, global uint *changed)
{
    size_t v = get_global_id(0);
    if (v >= n)
        return;
    uint own = dist[v];
    if (own == 0xffffffff)
        return;
    for (uint e = row[v]; e < row[v + 1]; e++) {
        uint u = col[e], length = own + weight[e];
        if (length < dist[u]) {
            atomic_min(&dist[u], length);
            *changed = 1;
        }
    }
}
