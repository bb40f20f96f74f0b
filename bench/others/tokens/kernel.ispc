export void tokens(uniform int n, uniform const uint32 start[], uniform const uint8 text[],
                   uniform uint32 count[])
{
    foreach (i = 0 ... n) {
        uint32 found = 0;
        int state = 0, end = start[i + 1];
        for (int j = start[i]; j < end; j++) {
            int c = text[j];
            if (state == 1)
                state = c == 92 ? 2 : c == 34 ? 0 : 1;
            else if (state == 2)
                state = 1;
            else if (c == 34) {
                found++;
                state = 1;
            } else if (c == 32 || c == 9 || c == 10)
                state = 0;
            else if (c == 123 || c == 125 || c == 91 || c == 93 || c == 58 || c == 44) {
                found++;
                state = 0;
            } else if (state == 0) {
                found++;
                state = 3;
            }
        }
        count[i] = found;
    }
}
