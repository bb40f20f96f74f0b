export void triangles(uniform int edges, uniform const uint32 row[], uniform const uint32 col[],
                      uniform const uint32 tail[], uniform uint32 count[])
{
    foreach (e = 0 ... edges) {
        int u = tail[e], v = col[e];
        int i = row[u], iend = row[u + 1], j = row[v], jend = row[v + 1];
        uint32 common = 0;
        while (i < iend && j < jend) {
            uint32 a = col[i], b = col[j];
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
}
