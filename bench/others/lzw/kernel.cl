kernel void lzw(uint n, global const uint *restrict first, global const ushort *restrict code,
                global const uint *restrict to, global uchar *restrict text)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uchar prefix[256], symbol[256], start[256];
    ushort length[256];
    for (uint k = 0; k < 16; k++) {
        symbol[k] = (uchar)k;
        start[k] = (uchar)k;
        length[k] = 1;
    }
    uint entries = 16, before = 256, place = to[i], end = first[i + 1];
    for (uint k = first[i]; k < end; k++) {
        uint c = code[k];
        if (before < 256 && entries < 256) {
            symbol[entries] = start[c == entries ? before : c];
            prefix[entries] = (uchar)before;
            start[entries] = start[before];
            length[entries] = length[before] + 1;
            entries++;
        }
        uint last = place + length[c], p = last, e = c;
        while (true) {
            p--;
            text[p] = symbol[e];
            if (p == place)
                break;
            e = prefix[e];
        }
        place = last;
        before = c;
    }
}
