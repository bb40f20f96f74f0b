export void bigmul(uniform int n, uniform const uint32 a[], uniform const uint32 b[],
                   uniform uint32 product[])
{
    foreach (i = 0 ... n) {
        uint32 u[8], v[8], p[16];
        for (uniform int k = 0; k < 8; k++) {
            u[k] = a[k * n + i];
            v[k] = b[k * n + i];
        }
        for (uniform int k = 0; k < 16; k++)
            p[k] = 0;
        for (uniform int j = 0; j < 8; j++) {
            uint32 carry = 0;
            for (uniform int k = 0; k < 8; k++) {
                uint64 t = (uint64)u[j] * v[k] + p[j + k] + carry;
                p[j + k] = (uint32)t;
                carry = (uint32)(t >> 32);
            }
            p[j + 8] = carry;
        }
        for (uniform int k = 0; k < 16; k++)
            product[k * n + i] = p[k];
    }
}
