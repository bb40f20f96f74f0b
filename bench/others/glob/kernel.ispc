export void glob(uniform int n, uniform const uint8 pattern[], uniform const uint8 which[],
                 uniform const uint32 start[], uniform const uint8 text[], uniform uint8 match[])
{
    foreach (i = 0 ... n) {
        int base = 16 * (int)which[i], p = 0, star = -1, met = 0;
        int s = start[i], end = start[i + 1];
        while (s < end) {
            uint8 c = pattern[base + p];
            if (c == 63 || c == text[s]) {
                s++;
                p++;
            } else if (c == 42) {
                star = p;
                p++;
                met = s;
            } else if (star >= 0) {
                p = star + 1;
                met++;
                s = met;
            } else {
                break;
            }
        }
        while (s == end && pattern[base + p] == 42)
            p++;
        match[i] = (s == end && pattern[base + p] == 0) ? 1 : 0;
    }
}
