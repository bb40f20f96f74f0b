#define ROW 32

/* The library has the reduction. */
export void shufflesum(uniform int n, uniform const uint32 x[], uniform uint32 sums[])
{
    for (uniform int row = 0; row < n / ROW; row++) {
        uint32 sum = 0;
        foreach (l = 0 ... ROW)
            sum += x[row * ROW + l];
        sums[row] = reduce_add(sum);
    }
}
