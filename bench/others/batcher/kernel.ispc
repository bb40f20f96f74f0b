#define GROUP 256
#define BLOCK 512

static inline void compare(uniform uint32 key[], int low, int high)
{
    uint32 a = key[low], b = key[high];
    key[low] = min(a, b);
    key[high] = max(a, b);
}

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void batcher(uniform int n, uniform uint32 x[])
{
    for (uniform int first = 0; first < n; first += BLOCK) {
        uniform uint32 key[BLOCK];
        foreach (l = 0 ... BLOCK)
            key[l] = x[first + l];
        for (uniform int size = 2; size <= BLOCK; size *= 2) {
            uniform int half = size / 2;
            foreach (l = 0 ... GROUP) {
                int offset = l & (half - 1);
                compare(key, 2 * l - offset, 2 * l - offset + half);
            }
            for (uniform int stride = half / 2; stride > 0; stride /= 2)
                foreach (l = 0 ... GROUP) {
                    int pos = 2 * l - (l & (stride - 1));
                    if ((l & (half - 1)) >= stride)
                        compare(key, pos - stride, pos);
                }
        }
        foreach (l = 0 ... BLOCK)
            x[first + l] = key[l];
    }
}
