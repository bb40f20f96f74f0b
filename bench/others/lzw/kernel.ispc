export void lzw(uniform int n, uniform const uint32 first[], uniform const uint16 code[],
                uniform const uint32 to[], uniform uint8 text[])
{
    foreach (i = 0 ... n) {
        uint8 prefix[256], symbol[256], start[256];
        uint16 length[256];
        for (uniform int k = 0; k < 16; k++) {
            symbol[k] = k;
            start[k] = k;
            length[k] = 1;
        }
        uint32 entries = 16, before = 256, place = to[i], end = first[i + 1];
        for (uint32 k = first[i]; k < end; k++) {
            uint32 c = code[k];
            if (before < 256 && entries < 256) {
                uint32 from = c == entries ? before : c;
                symbol[entries] = start[from];
                prefix[entries] = (uint8)before;
                start[entries] = start[before];
                length[entries] = length[before] + 1;
                entries++;
            }
            uint32 last = place + length[c];
            uint32 p = last, e = c;
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
}
