kernel void encode(uint n, global const uchar *restrict letters, global const uchar *restrict raw,
                   global uchar *restrict text)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint word = raw[3 * i] << 16 | raw[3 * i + 1] << 8 | raw[3 * i + 2];
    text[4 * i] = letters[word >> 18];
    text[4 * i + 1] = letters[word >> 12 & 63];
    text[4 * i + 2] = letters[word >> 6 & 63];
    text[4 * i + 3] = letters[word & 63];
}

kernel void decode(uint n, global const uchar *restrict values, global const uchar *restrict text,
                   global uchar *restrict back)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint word = values[text[4 * i]] << 18 | values[text[4 * i + 1]] << 12
        | values[text[4 * i + 2]] << 6 | values[text[4 * i + 3]];
    back[3 * i] = word >> 16;
    back[3 * i + 1] = word >> 8;
    back[3 * i + 2] = word;
}
