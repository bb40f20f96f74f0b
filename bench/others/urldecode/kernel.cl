kernel void urldecode(uint n, global const uint *restrict start, global const uchar *restrict text,
                      global uchar *restrict plain, global uint *restrict length)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint at = start[i], end = start[i + 1];
    uint to = at;
    while (at < end) {
        int c = text[at];
        at++;
        if (c == 43) {
            c = 32;
        } else if (c == 37 && at + 2 <= end) {
            int high = text[at], low = text[at + 1];
            high = high < 58 ? high - 48 : (high | 32) - 87;
            low = low < 58 ? low - 48 : (low | 32) - 87;
            c = high * 16 + low;
            at += 2;
        }
        plain[to] = (uchar)c;
        to++;
    }
    length[i] = to - start[i];
}
