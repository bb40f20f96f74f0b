kernel void triangles(uint edges, global const uint *restrict row, global const uint *restrict col,
                      global const uint *restrict tail, global uint *restrict count)
{
    size_t e = get_global_id(0);
    if (e >= edges)
        return;
    uint u = tail[e], v = col[e];
    uint i = row[u], iend = row[u + 1], j = row[v], jend = row[v + 1], common = 0;
    while (i < iend && j < jend) {
        uint a = col[i], b = col[j];
        if (a == b) {
            common++;
            i++;
            j++;
        } else if (a < b)
            i++;
        else
            j++;
    }
    count[e] = common;
}
