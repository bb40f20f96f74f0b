kernel void ahocorasick(uint rows, global const uint *restrict children,
                        global const uint *restrict fail, global const uint *restrict ends,
                        global const uchar *restrict text, global uint *restrict found)
{
    size_t i = get_global_id(0);
    if (i >= rows)
        return;
    uint state = 0, count = 0;
    for (uint k = 0; k < 128; k++) {
        uint letter = text[i * 128 + k] - 97;
        uint next = children[state * 6 + letter];
        while (next == 0 && state != 0) {
            state = fail[state];
            next = children[state * 6 + letter];
        }
        state = next;
        count += ends[state];
    }
    found[i] = count;
}
