export void urldecode(uniform int n, uniform const uint32 start[], uniform const uint8 text[],
                      uniform uint8 plain[], uniform uint32 length[])
{
    foreach (i = 0 ... n) {
        int at = start[i], end = start[i + 1];
        int to = at;
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
            plain[to] = (uint8)c;
            to++;
        }
        length[i] = to - start[i];
    }
}
