#define GROUP 256
static const uniform int BINS = 64, COPIES = 4;

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void privhist(uniform int n, uniform int stride, uniform const uint16 x[],
                     uniform uint32 bins[])
{
    for (uniform int first = 0; first < stride; first += GROUP) {
        uniform uint32 counters[GROUP];
        foreach (l = 0 ... GROUP)
            counters[l] = 0;
        foreach (l = 0 ... GROUP)
            for (int i = first + l; i < n; i += stride)
                atomic_add_local(&counters[(l & (COPIES - 1)) * BINS + (x[i] >> 10)], 1);
        foreach (l = 0 ... BINS)
            bins[l] += counters[l] + counters[l + BINS] + counters[l + 2 * BINS] +
                       counters[l + 3 * BINS];
    }
}
