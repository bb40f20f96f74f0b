#define BLOCK 256

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void bykey(uniform int n, uniform const uint32 key[], uniform const int value[],
                  uniform int total[])
{
    for (uniform int first = 0; first < n; first += BLOCK) {
        uniform uint32 keys[BLOCK];
        uniform int sums[2][BLOCK];
        foreach (l = 0 ... BLOCK) {
            keys[l] = key[first + l];
            sums[0][l] = value[first + l];
        }
        uniform int from = 0;
        for (uniform int distance = 1; distance < BLOCK; distance *= 2) {
            foreach (l = 0 ... BLOCK) {
                int sum = sums[from][l];
                if (l >= distance && keys[l - distance] == keys[l])
                    sum += sums[from][l - distance];
                sums[from ^ 1][l] = sum;
            }
            from ^= 1;
        }
        foreach (l = 0 ... BLOCK)
            if (l == BLOCK - 1 || keys[l + 1] != keys[l])
                atomic_add_local(&total[keys[l]], sums[from][l]);
    }
}
