#define GROUP 256

/* The library scans across lanes; a block has a running sum. */
export void unpack(uniform int blocks, uniform uint32 bits, uniform const uint32 packed[],
                   uniform const uint32 first[], uniform uint32 number[])
{
    for (uniform int g = 0; g < blocks; g++) {
        uniform uint32 before = first[g];
        for (uniform int l = 0; l < GROUP; l += programCount) {
            uint32 bit = (g * GROUP + l + programIndex) * bits;
            int place = bit >> 5;
            uint64 both = packed[place] | (uint64)packed[place + 1] << 32;
            uint32 difference = (uint32)(both >> (bit & 31)) & ((1u << bits) - 1);
            number[g * GROUP + l + programIndex] = before + difference + exclusive_scan_add(difference);
            before += reduce_add(difference);
        }
    }
}
