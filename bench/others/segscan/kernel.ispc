#define GROUP 256

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void segscan(uniform int n, uniform const uint32 x[], uniform const uint32 head[],
                    uniform uint32 y[])
{
    for (uniform int first = 0; first < n; first += GROUP) {
        uniform uint32 sum[2][GROUP], flag[2][GROUP];
        foreach (local = 0 ... GROUP) {
            sum[0][local] = x[first + local];
            flag[0][local] = head[first + local];
        }
        uniform int side = 0;
        for (uniform int distance = 1; distance < GROUP; distance *= 2) {
            foreach (local = 0 ... GROUP) {
                uint32 total = sum[side][local], begins = flag[side][local];
                if (local >= distance) {
                    if (begins == 0)
                        total += sum[side][local - distance];
                    begins |= flag[side][local - distance];
                }
                sum[side ^ 1][local] = total;
                flag[side ^ 1][local] = begins;
            }
            side ^= 1;
        }
        foreach (local = 0 ... GROUP)
            y[first + local] = sum[side][local];
    }
}
