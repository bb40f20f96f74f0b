export void rledecode(uniform int rows, uniform const uint32 start[], uniform const uint8 pairs[],
                      uniform uint8 text[])
{
    foreach (i = 0 ... rows) {
        int to = i * 512;
        for (int r = start[i]; r < start[i + 1]; r++) {
            int length = pairs[2 * r];
            uint8 value = pairs[2 * r + 1];
            for (int k = 0; k < length; k++) {
                text[to] = value;
                to++;
            }
        }
    }
}
