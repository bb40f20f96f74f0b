#define GROUP 256

/* The library scans across lanes; a block has a running count. */
export void radixblock(uniform int n, uniform const uint32 x[], uniform uint32 y[])
{
    for (uniform int first = 0; first < n; first += GROUP) {
        uniform uint32 number[GROUP], other[GROUP];
        foreach (l = 0 ... GROUP)
            number[l] = x[first + l];
        for (uniform int bit = 0; bit < 4; bit++) {
            int counted = 0;
            foreach (l = 0 ... GROUP)
                counted += 1 - (int)((number[l] >> bit) & 1);
            uniform int without = reduce_add(counted);
            uniform int before = 0;
            for (uniform int l = 0; l < GROUP; l += programCount) {
                uint32 value = number[l + programIndex];
                int low = 1 - (int)((value >> bit) & 1);
                int place = before + exclusive_scan_add(low);
                if (low == 0)
                    place = l + programIndex - place + without;
                other[place] = value;
                before += reduce_add(low);
            }
            foreach (l = 0 ... GROUP)
                number[l] = other[l];
        }
        foreach (l = 0 ... GROUP)
            y[first + l] = number[l];
    }
}
