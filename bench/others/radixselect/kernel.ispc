/* A row at a time: a barrier is the end of a foreach. */
export void radixselect(uniform int columns, uniform uint32 k, uniform const uint32 x[],
                        uniform uint32 found[], uniform int rows)
{
    for (uniform int row = 0; row < rows; row++) {
        uniform uint32 count[256];
        uniform uint32 prefix = 0, known = 0, rest = k;
        for (uniform int round = 0; round < 4; round++) {
            uniform int shift = 24 - round * 8;
            foreach (l = 0 ... 256)
                count[l] = 0;
            foreach (j = 0 ... columns) {
                uint32 value = x[row * columns + j];
                if ((value & known) == prefix)
                    atomic_add_local(&count[(int)((value >> shift) & 255)], 1);
            }
            uniform uint32 digit = 0;
            while (count[digit] <= rest) {
                rest -= count[digit];
                digit++;
            }
            prefix |= digit << shift;
            known |= ((uniform uint32)255) << shift;
        }
        found[row] = prefix;
    }
}
