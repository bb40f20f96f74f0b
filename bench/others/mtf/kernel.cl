kernel void mtf(uint n, uint length, global const uchar *restrict code, global uchar *restrict text)
{
    uchar list[64];
    uint i = get_global_id(0);
    if (i >= n)
        return;
    for (uint k = 0; k < 64; k++)
        list[k] = k;
    for (uint k = 0; k < length; k++) {
        uint place = code[k * n + i];
        uchar symbol = list[place];
        for (; place > 0; place--)
            list[place] = list[place - 1];
        list[0] = symbol;
        text[k * n + i] = symbol;
    }
}
