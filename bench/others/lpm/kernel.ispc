export void lpm(uniform int n, uniform const uint32 trie[], uniform const uint32 address[],
                uniform uint16 route[])
{
    foreach (i = 0 ... n) {
        uint32 a = address[i];
        uint32 entry = 0x80000000;
        while (entry & 0x80000000) {
            entry = trie[(int)((entry & 0x7fffffff) * 256 + (a >> 24))];
            a <<= 8;
        }
        route[i] = entry;
    }
}
