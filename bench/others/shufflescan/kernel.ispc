#define ROW 32

/* The library has the scan of a gang. */
export void shufflescan(uniform int n, uniform const uint32 x[], uniform uint32 y[])
{
    for (uniform int row = 0; row < n / ROW; row++) {
        uniform uint32 before = 0;
        foreach (l = 0 ... ROW) {
            uint32 value = x[row * ROW + l];
            y[row * ROW + l] = before + exclusive_scan_add(value) + value;
            before += reduce_add(value);
        }
    }
}
