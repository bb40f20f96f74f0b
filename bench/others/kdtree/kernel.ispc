export void kdtree(uniform int n, uniform unsigned int count, uniform const float x[],
                   uniform const float y[], uniform const float qx[], uniform const float qy[],
                   uniform float distance[])
{
    foreach (i = 0 ... n) {
        uint32 nodes[32];
        float bounds[32];
        float px = qx[i], py = qy[i], best = 10;
        int level = 1;
        nodes[0] = 1;
        bounds[0] = 0;
        while (level > 0) {
            level--;
            uint32 node = nodes[level];
            if (bounds[level] >= best)
                continue;
            bool across = ((31 - count_leading_zeros((int)node)) & 1) != 0;
            while (node <= count) {
                float dx = px - x[node], dy = py - y[node];
                best = min(best, dx * dx + dy * dy);
                float d = across ? dy : dx;
                uint32 near = 2 * node + (d >= 0 ? 1 : 0);
                nodes[level] = near ^ 1;
                bounds[level] = d * d;
                level++;
                node = near;
                across = !across;
            }
        }
        distance[i] = best;
    }
}
