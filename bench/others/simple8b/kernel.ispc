export void simple8b(uniform int n, uniform const uint64 words[], uniform const uint32 to[],
                     uniform uint32 values[])
{
    foreach (i = 0 ... n) {
        uint64 word = words[i];
        uint32 kind = (uint32)(word >> 60), place = to[i];
        uint32 width = kind + 1;
        if (kind >= 8)
            width = kind == 8 ? 10 : kind == 9 ? 12 : kind == 10 ? 15 : kind == 11 ? 20 : 30;
        uint32 count = 60 / width;
        uint64 mask = (1 << width) - 1;
        for (uint32 k = 0; k < count; k++)
            values[place + k] = (uint32)(word >> k * width & mask);
    }
}
