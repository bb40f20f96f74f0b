kernel void jaro(uint n, global const uchar *restrict a, global const uchar *restrict b,
                 global const uchar *restrict na, global const uchar *restrict nb,
                 global float *restrict likeness)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    int la = na[i], lb = nb[i];
    int reach = max(max(la, lb) / 2, 1) - 1;
    uint seen_a = 0, seen_b = 0;
    int common = 0;
    for (int k = 0; k < la; k++) {
        int letter = a[i * 24 + k];
        int j = max(k - reach, 0), end = min(k + reach + 1, lb);
        for (; j < end; j++) {
            if ((seen_b >> j & 1) == 0 && b[i * 24 + j] == letter) {
                seen_a |= 1u << k;
                seen_b |= 1u << j;
                common++;
                break;
            }
        }
    }
    int swaps = 0, j = 0;
    for (int k = 0; k < la; k++) {
        if ((seen_a >> k & 1) != 0) {
            while ((seen_b >> j & 1) == 0)
                j++;
            if (a[i * 24 + k] != b[i * 24 + j])
                swaps++;
            j++;
        }
    }
    float m = (float)common;
    float result = 0.0f;
    if (common > 0)
        result = (m / (float)la + m / (float)lb + (m - (float)(swaps / 2)) / m) / 3.0f;
    likeness[i] = result;
}
