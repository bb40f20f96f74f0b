kernel void unbwt(uint n, global const uchar *restrict last, global const uchar *restrict origin,
                  global uchar *restrict text)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint first[64];
    uchar next[128];
    for (uint c = 0; c < 64; c++)
        first[c] = 0;
    for (uint k = 0; k < 128; k++) {
        uint c = last[i * 128 + k];
        first[c] = first[c] + 1;
    }
    uint sum = 0;
    for (uint c = 0; c < 64; c++) {
        uint count = first[c];
        first[c] = sum;
        sum += count;
    }
    for (uint k = 0; k < 128; k++) {
        uint c = last[i * 128 + k];
        uint place = first[c];
        next[place] = (uchar)k;
        first[c] = (uint)place + 1;
    }
    uint at = origin[i];
    for (uint k = 0; k < 128; k++) {
        at = next[at];
        text[i * 128 + k] = last[i * 128 + at];
    }
}
