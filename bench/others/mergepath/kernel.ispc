export void mergepath(uniform int n, uniform const uint32 a[], uniform const uint32 b[],
                      uniform uint32 merged[])
{
    foreach (item = 0 ... n / 8) {
        int diagonal = item * 16;
        int low = max(diagonal - n, 0), high = min(diagonal, n);
        while (low < high) {
            int middle = (low + high) / 2;
            if (a[middle] <= b[diagonal - 1 - middle])
                low = middle + 1;
            else
                high = middle;
        }
        int i = low, j = diagonal - low;
        for (uniform int k = 0; k < 16; k++) {
            if (j >= n || (i < n && a[i] <= b[j]))
                merged[diagonal + k] = a[i++];
            else
                merged[diagonal + k] = b[j++];
        }
    }
}
