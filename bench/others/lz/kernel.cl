kernel void lz(uint n, global const uint *restrict start, global const uchar *restrict coded,
               global uchar *restrict text)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint from = start[i], end = start[i + 1], to = i * 256;
    while (from < end) {
        uint literals = coded[from], length = coded[from + 1], back = coded[from + 2];
        from += 3;
        for (uint k = 0; k < literals; k++)
            text[to++] = coded[from++];
        for (uint k = 0; k < length; k++) {
            text[to] = text[to - back];
            to++;
        }
    }
}
