#define BINS 256

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void histogram(uniform int n, uniform int stride, uniform const uint8 x[],
                      uniform uint32 bins[])
{
    for (uniform int first = 0; first < stride; first += BINS) {
        uniform uint32 counters[BINS];
        foreach (local = 0 ... BINS)
            counters[local] = 0;
        foreach (local = 0 ... BINS)
            for (int i = first + local; i < n; i += stride)
                atomic_add_local(&counters[x[i]], 1);
        foreach (local = 0 ... BINS)
            bins[local] += counters[local];
    }
}
