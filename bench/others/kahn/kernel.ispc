export void kahn(uniform int n, uniform int depth, uniform const uint32 start[],
                 uniform const uint32 target[], uniform uint32 left[], uniform int level[],
                 uniform uint32 again[])
{
    foreach (i = 0 ... n) {
        if (level[i] == depth) {
            int end = start[i + 1];
            for (int e = start[i]; e < end; e++) {
                int t = target[e];
                if (atomic_subtract_local(&left[t], (uint32)1) == 1) {
                    level[t] = depth + 1;
                    again[0] = 1;
                }
            }
        }
    }
}
