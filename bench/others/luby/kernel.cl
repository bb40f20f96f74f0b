kernel void choose(uint n, global const uint *restrict start, global const uint *restrict column,
                   global const uint *restrict priority, global uchar *restrict chosen,
                   global const uchar *restrict state)
{
    size_t v = get_global_id(0);
    if (v >= n)
        return;
    uchar most = 0;
    if (state[v] == 0) {
        most = 1;
        for (uint e = start[v]; e < start[v + 1]; e++) {
            uint w = column[e];
            if (state[w] == 0 && priority[w] > priority[v]) {
                most = 0;
                break;
            }
        }
    }
    chosen[v] = most;
}

kernel void exclude(uint n, global const uint *restrict start, global const uint *restrict column,
                    global const uchar *restrict chosen, global uchar *restrict state)
{
    size_t v = get_global_id(0);
    if (v >= n || state[v] != 0)
        return;
    if (chosen[v]) {
        state[v] = 1;
        return;
    }
    for (uint e = start[v]; e < start[v + 1]; e++)
        if (chosen[column[e]]) {
            state[v] = 2;
            break;
        }
}
