export void ahocorasick(uniform int rows, uniform const uint32 children[],
                        uniform const uint32 fail[], uniform const uint32 ends[],
                        uniform const uint8 text[], uniform uint32 found[])
{
    foreach (i = 0 ... rows) {
        int state = 0, count = 0;
        for (uniform int k = 0; k < 128; k++) {
            int letter = text[i * 128 + k] - 97;
            int next = children[state * 6 + letter];
            while (next == 0 && state != 0) {
                state = fail[state];
                next = children[state * 6 + letter];
            }
            state = next;
            count += ends[state];
        }
        found[i] = count;
    }
}
