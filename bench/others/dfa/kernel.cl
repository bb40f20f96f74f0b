kernel void dfa(uint n, uint length, global const uchar *restrict text,
                global const ushort *restrict step, global const uchar *restrict accepts,
                global uint *restrict matches)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint state = 0, count = 0;
    for (uint j = 0; j < length; j++) {
        state = step[state * 256 + text[i * length + j]];
        count += accepts[state];
    }
    matches[i] = count;
}
