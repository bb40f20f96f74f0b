#define GROUP 256

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void scan_blocks(uniform int n, uniform const uint32 x[], uniform uint32 y[],
                        uniform uint32 sums[])
{
    for (uniform int first = 0; first < n; first += GROUP) {
        uniform uint32 part[2][GROUP];
        foreach (local = 0 ... GROUP) {
            uint32 mine = 0;
            if (first + local < n)
                mine = x[first + local];
            part[0][local] = mine;
        }
        uniform int side = 0;
        for (uniform int distance = 1; distance < GROUP; distance *= 2) {
            foreach (local = 0 ... GROUP) {
                uint32 sum = part[side][local];
                if (local >= distance)
                    sum += part[side][local - distance];
                part[side ^ 1][local] = sum;
            }
            side ^= 1;
        }
        sums[first / GROUP] = part[side][GROUP - 1];
        foreach (local = 0 ... GROUP)
            if (first + local < n)
                y[first + local] = part[side][local];
    }
}

export void add_sums(uniform int n, uniform const uint32 sums[], uniform uint32 y[])
{
    for (uniform int first = GROUP; first < n; first += GROUP) {
        uniform uint32 before = sums[first / GROUP - 1];
        foreach (local = 0 ... GROUP)
            if (first + local < n)
                y[first + local] += before;
    }
}
