export void lcsbits(uniform int n, uniform int length, uniform const uint64 mask[],
                    uniform const uint8 text[], uniform uint32 common[])
{
    foreach (i = 0 ... n) {
        uint64 row = 0xffffffffffffffff;
        for (uniform int k = 0; k < length; k++) {
            int letter = text[i * length + k];
            uint64 same = row & mask[letter];
            row = (row + same) | (row - same);
        }
        common[i] = popcnt((int64)~row);
    }
}
