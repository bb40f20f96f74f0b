#define GROUP 256

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void reduction(uniform int n, uniform const uint32 x[], uniform uint32 sums[])
{
    for (uniform int first = 0; first < n; first += GROUP) {
        uniform uint32 part[GROUP];
        foreach (local = 0 ... GROUP) {
            uint32 mine = 0;
            if (first + local < n)
                mine = x[first + local];
            part[local] = mine;
        }
        for (uniform int half_size = GROUP / 2; half_size > 0; half_size /= 2)
            foreach (local = 0 ... half_size)
                part[local] += part[local + half_size];
        sums[first / GROUP] = part[0];
    }
}
