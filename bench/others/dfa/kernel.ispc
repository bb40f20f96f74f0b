export void dfa(uniform int n, uniform int length, uniform const uint8 text[],
                uniform const uint16 step[], uniform const uint8 accepts[],
                uniform uint32 matches[])
{
    foreach (i = 0 ... n) {
        int state = 0;
        uint32 count = 0;
        for (uniform int j = 0; j < length; j++) {
            state = step[state * 256 + text[i * length + j]];
            count += accepts[state];
        }
        matches[i] = count;
    }
}
