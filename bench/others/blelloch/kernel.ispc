#define BLOCK 512

/* The library scans across lanes; a block has a running total. */
export void blelloch(uniform int n, uniform const uint32 x[], uniform uint32 y[])
{
    for (uniform int first = 0; first < n; first += BLOCK) {
        uniform uint32 total = 0;
        for (uniform int i = 0; i < BLOCK; i += programCount) {
            uint32 value = x[first + i + programIndex];
            y[first + i + programIndex] = total + exclusive_scan_add(value);
            total += reduce_add((int32)value);
        }
    }
}
