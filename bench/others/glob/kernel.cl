kernel void glob(uint n, global const uchar *restrict pattern, global const uchar *restrict which,
                 global const uint *restrict start, global const uchar *restrict text,
                 global uchar *restrict match)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    global const uchar *mine = pattern + 16 * which[i];
    uint s = start[i], end = start[i + 1], p = 0, met = 0;
    int star = -1;
    while (s < end) {
        if (mine[p] == '?' || mine[p] == text[s]) {
            s++;
            p++;
        } else if (mine[p] == '*') {
            star = p++;
            met = s;
        } else if (star >= 0) {
            p = star + 1;
            s = ++met;
        } else {
            break;
        }
    }
    while (s == end && mine[p] == '*')
        p++;
    match[i] = s == end && mine[p] == 0;
}
