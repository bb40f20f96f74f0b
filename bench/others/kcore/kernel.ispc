export void kcore(uniform int n, uniform uint32 k, uniform const uint32 start[],
                  uniform const uint32 column[], uniform uint32 degree[], uniform uint32 gone[],
                  uniform uint32 again[])
{
    foreach (i = 0 ... n) {
        if (gone[i] == 0 && degree[i] < k) {
            gone[i] = 1;
            again[0] = 1;
            int end = start[i + 1];
            for (int e = start[i]; e < end; e++) {
                int other = column[e];
                atomic_subtract_global(&degree[other], (uint32)1);
            }
        }
    }
}
