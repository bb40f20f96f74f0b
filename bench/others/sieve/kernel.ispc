#define SEGMENT 8192

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void sieve(uniform int segments, uniform int n, uniform const uint32 prime[],
                  uniform uint32 count[])
{
    for (uniform int g = 0; g < segments; g++) {
        uniform uint8 struck[SEGMENT];
        uniform uint32 first = g * SEGMENT;
        foreach (k = 0 ... SEGMENT)
            struck[k] = first + k < 2 ? 1 : 0;
        foreach (j = 0 ... n) {
            uint32 p = max(prime[j], 2u);     // lanes that are off divide, too
            uint32 from = p * p;
            if (from < first)
                from = (first + p - 1) / p * p;
            for (uint32 k = from - first; k < SEGMENT; k += p)
                struck[k] = 1;
        }
        uint32 left = 0;
        foreach (k = 0 ... SEGMENT)
            if (struck[k] == 0)
                left++;
        count[g] = reduce_add(left);
    }
}
