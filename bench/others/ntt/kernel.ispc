#define BLOCK 1024
#define PRIME 998244353u

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void ntt(uniform int blocks, uniform const uint32 power[], uniform uint32 x[])
{
    for (uniform int block = 0; block < blocks; block++) {
        uniform uint32 data[BLOCK];
        uniform int first = block * BLOCK;
        foreach (l = 0 ... BLOCK)
            data[l] = x[first + l];
        uniform int stride = 1;
        for (uniform int step = BLOCK / 2; step > 0; step /= 2) {
            foreach (l = 0 ... BLOCK / 2) {
                int low = l & (step - 1);
                int a = 2 * l - low;
                uint32 p = data[a], q = data[a + step];
                uint32 sum = p + q;
                data[a] = sum >= PRIME ? sum - PRIME : sum;
                data[a + step] = (uint64)(p + PRIME - q) * power[low * stride] % PRIME;
            }
            stride *= 2;
        }
        foreach (l = 0 ... BLOCK)
            x[first + l] = data[l];
    }
}
