export void roaring(uniform int n, uniform const uint32 start[], uniform const uint16 member[],
                    uniform const uint32 which[], uniform const uint32 bits[],
                    uniform uint32 both[])
{
    foreach (i = 0 ... n) {
        int end = start[i + 1], words = which[i] * 2048;
        uint32 count = 0;
        for (int k = start[i]; k < end; k++) {
            int value = member[k];
            count += bits[words + (value >> 5)] >> (value & 31) & 1u;
        }
        both[i] = count;
    }
}
