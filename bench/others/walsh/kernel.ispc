#define BLOCK 512

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void walsh(uniform int blocks, uniform float x[])
{
    for (uniform int block = 0; block < blocks; block++) {
        uniform float data[BLOCK];
        uniform int first = block * BLOCK;
        foreach (l = 0 ... BLOCK)
            data[l] = x[first + l];
        for (uniform int step = BLOCK / 2; step > 0; step /= 2)
            foreach (l = 0 ... BLOCK / 2) {
                int low = l & (step - 1);
                int a = 2 * l - low;
                float p = data[a], q = data[a + step];
                data[a] = p + q;
                data[a + step] = p - q;
            }
        foreach (l = 0 ... BLOCK)
            x[first + l] = data[l];
    }
}
