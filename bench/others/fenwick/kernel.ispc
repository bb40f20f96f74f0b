export void fenwick(uniform int n, uniform const uint32 tree[], uniform const uint32 first[],
                    uniform const uint32 last[], uniform uint32 total[])
{
    foreach (i = 0 ... n) {
        uint32 sum = 0;
        for (int k = last[i]; k > 0; k &= k - 1)
            sum += tree[k];
        for (int k = first[i]; k > 0; k &= k - 1)
            sum -= tree[k];
        total[i] = sum;
    }
}
