export void huffman(uniform int n, uniform int length, uniform const uint16 table[],
                    uniform const uint32 start[], uniform const uint32 words[],
                    uniform uint8 symbol[])
{
    foreach (i = 0 ... n) {
        uint32 place = start[i];
        for (uniform int k = 0; k < length; k++) {
            int word = place >> 5;
            uint64 both = words[word] | (uint64)words[word + 1] << 32;
            int entry = table[(int)(both >> (place & 31) & 1023)];
            symbol[i * length + k] = entry >> 4;
            place += entry & 15;
        }
    }
}
