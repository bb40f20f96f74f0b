kernel void backtrack(uint n, global const uchar *restrict pattern,
                      global const uchar *restrict text, global uint *restrict found)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint stack[64];
    uint count = 0;
    for (uint start = 0; start < 32; start++) {
        uint p = 0, t = start, level = 0;
        while (true) {
            uint c = pattern[p];
            bool fails = false;
            if (c == 0) {
                count++;
                break;
            }
            bool fits = t < 32 && (c == '.' || text[i * 32 + t] == c);
            if (pattern[p + 1] == '*') {
                if (fits) {
                    stack[level] = (p + 2) << 8 | t;
                    level++;
                    t++;
                } else
                    p += 2;
            } else if (fits) {
                p++;
                t++;
            } else
                fails = true;
            if (fails) {
                if (level == 0)
                    break;
                level--;
                p = stack[level] >> 8;
                t = stack[level] & 255;
            }
        }
    }
    found[i] = count;
}
