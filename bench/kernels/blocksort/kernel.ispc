#define GROUP 256

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void blocksort(uniform int n, uniform int32 keys[])
{
    for (uniform int first = 0; first < n; first += 2 * GROUP) {
        uniform int32 block[2 * GROUP];
        foreach (t = 0 ... 2 * GROUP)
            block[t] = keys[first + t];
        for (uniform int k = 2; k <= 2 * GROUP; k *= 2) {
            for (uniform int j = k / 2; j > 0; j /= 2) {
                foreach (t = 0 ... GROUP) {
                    int low = 2 * t - (t & (j - 1));
                    int high = low + j;
                    int x = block[low], y = block[high];
                    if ((x > y) == ((low & k) == 0)) {
                        block[low] = y;
                        block[high] = x;
                    }
                }
            }
        }
        foreach (t = 0 ... 2 * GROUP)
            keys[first + t] = block[t];
    }
}
