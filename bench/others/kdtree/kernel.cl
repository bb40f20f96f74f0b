kernel void kdtree(uint n, uint count, global const float *restrict x,
                   global const float *restrict y, global const float *restrict qx,
                   global const float *restrict qy, global float *restrict distance)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint nodes[32];
    float bounds[32];
    float px = qx[i], py = qy[i], best = 10;
    int level = 1;
    nodes[0] = 1;
    bounds[0] = 0;
    while (level > 0) {
        level--;
        uint node = nodes[level];
        if (bounds[level] >= best)
            continue;
        bool across = ((31 - clz(node)) & 1) != 0;
        while (node <= count) {
            float dx = px - x[node], dy = py - y[node];
            best = min(best, dx * dx + dy * dy);
            float d = across ? dy : dx;
            uint near = 2 * node + (d >= 0 ? 1 : 0);
            nodes[level] = near ^ 1;
            bounds[level] = d * d;
            level++;
            node = near;
            across = !across;
        }
    }
    distance[i] = best;
}
