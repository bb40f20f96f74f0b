kernel void labels(uint n, global const uint *row, global const uint *col, global uint *label,
                   global uint *changed)
{
    size_t v = get_global_id(0);
    if (v >= n)
        return;
    uint own = label[v], least = own;
    for (uint e = row[v]; e < row[v + 1]; e++)
        least = min(least, label[col[e]]);
    if (least < own) {
        label[v] = least;
        *changed = 1;
    }
}
