export void crc32(uniform int n, uniform const uint32 table[], uniform const uint32 start[],
                  uniform const uint8 text[], uniform uint32 crc[])
{
    foreach (i = 0 ... n) {
        uint32 c = 0xffffffff;
        int end = start[i + 1];
        for (int j = start[i]; j < end; j++)
            c = table[(int)((c ^ text[j]) & 255)] ^ c >> 8;
        crc[i] = ~c;
    }
}
