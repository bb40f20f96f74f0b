export void curvemul(uniform int n, uniform const int64 a[], uniform const int64 b[],
                     uniform int64 product[])
{
    foreach (i = 0 ... n) {
        int64 t[31];
        for (uniform int k = 0; k < 31; k++)
            t[k] = 0;
        for (uniform int j = 0; j < 16; j++) {
            int64 x = a[j * n + i];
            for (uniform int k = 0; k < 16; k++)
                t[j + k] = t[j + k] + x * b[k * n + i];
        }
        for (uniform int k = 0; k < 15; k++)
            t[k] = t[k] + 38 * t[k + 16];
        for (uniform int round = 0; round < 2; round++) {
            int64 carry = 0;
            for (uniform int k = 0; k < 16; k++) {
                int64 x = t[k] + carry;
                carry = x >> 16;
                t[k] = x - (carry << 16);
            }
            t[0] = t[0] + 38 * carry;
        }
        for (uniform int k = 0; k < 16; k++)
            product[k * n + i] = t[k];
    }
}
