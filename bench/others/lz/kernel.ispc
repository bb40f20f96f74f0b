export void lz(uniform int n, uniform const uint32 start[], uniform const uint8 coded[],
               uniform uint8 text[])
{
    foreach (i = 0 ... n) {
        int from = start[i], end = start[i + 1], to = i * 256;
        while (from < end) {
            int literals = coded[from], length = coded[from + 1], back = coded[from + 2];
            from += 3;
            for (int k = 0; k < literals; k++) {
                text[to] = coded[from];
                to++;
                from++;
            }
            for (int k = 0; k < length; k++) {
                text[to] = text[to - back];
                to++;
            }
        }
    }
}
