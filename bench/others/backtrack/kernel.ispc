export void backtrack(uniform int n, uniform const uint8 pattern[], uniform const uint8 text[],
                      uniform uint32 found[])
{
    foreach (i = 0 ... n) {
        uint32 stack[64];
        uint32 count = 0;
        for (uniform int start = 0; start < 32; start++) {
            uint32 p = 0, t = start;
            int level = 0;
            while (true) {
                uint32 c = pattern[p];
                bool fails = false;
                if (c == 0) {
                    count++;
                    break;
                }
                bool fits = t < 32;
                if (fits && c != 46)
                    fits = (uint32)text[i * 32 + t] == c;
                if (pattern[p + 1] == 42) {
                    if (fits) {
                        stack[level] = ((p + 2) << 8) | t;
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
}
