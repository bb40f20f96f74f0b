kernel void mergepath(uint n, global const uint *restrict a, global const uint *restrict b,
                      global uint *restrict merged)
{
    uint diagonal = get_global_id(0) * 16;
    if (diagonal >= 2 * n)
        return;
    uint low = diagonal > n ? diagonal - n : 0, high = min(diagonal, n);
    while (low < high) {
        uint middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    uint i = low, j = diagonal - low;
    for (uint k = 0; k < 16; k++) {
        if (j >= n || (i < n && a[i] <= b[j]))
            merged[diagonal + k] = a[i++];
        else
            merged[diagonal + k] = b[j++];
    }
}
