export void labels(uniform int n, uniform const uint32 row[], uniform const uint32 col[],
                   uniform uint32 label[], uniform uint32 changed[])
{
    int found = 0;
    foreach (v = 0 ... n) {
        uint32 own = label[v];
        uint32 least = own;
        for (int e = row[v]; e < row[v + 1]; e++)
            least = min(least, label[(int)col[e]]);
        if (least < own) {
            label[v] = least;
            found = 1;
        }
    }
    if (any(found != 0))
        changed[0] = 1;
}
