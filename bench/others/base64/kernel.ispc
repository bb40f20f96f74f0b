export void encode(uniform int n, uniform const uint8 letters[], uniform const uint8 raw[],
                   uniform uint8 text[])
{
    foreach (i = 0 ... n) {
        uint32 a = raw[3 * i], b = raw[3 * i + 1], c = raw[3 * i + 2];
        uint32 word = a << 16 | b << 8 | c;
        text[4 * i] = letters[word >> 18];
        text[4 * i + 1] = letters[(word >> 12) & 63];
        text[4 * i + 2] = letters[(word >> 6) & 63];
        text[4 * i + 3] = letters[word & 63];
    }
}

export void decode(uniform int n, uniform const uint8 values[], uniform const uint8 text[],
                   uniform uint8 back[])
{
    foreach (i = 0 ... n) {
        uint32 a = values[text[4 * i]], b = values[text[4 * i + 1]];
        uint32 c = values[text[4 * i + 2]], d = values[text[4 * i + 3]];
        uint32 word = a << 18 | b << 12 | c << 6 | d;
        back[3 * i] = word >> 16;
        back[3 * i + 1] = word >> 8;
        back[3 * i + 2] = word;
    }
}
