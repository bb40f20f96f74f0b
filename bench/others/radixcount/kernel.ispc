#define GROUP 256
#define BLOCK 4096

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void radixcount(uniform int groups, uniform uint32 shift, uniform const uint32 key[],
                       uniform uint32 count[])
{
    for (uniform int g = 0; g < groups; g++) {
        uniform uint32 counter[GROUP];
        foreach (l = 0 ... GROUP)
            counter[l] = 0;
        foreach (k = 0 ... BLOCK)
            atomic_add_local(&counter[key[g * BLOCK + k] >> shift & 255], 1);
        foreach (l = 0 ... GROUP)
            count[l * groups + g] = counter[l];
    }
}
