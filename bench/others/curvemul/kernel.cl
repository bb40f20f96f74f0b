kernel void curvemul(uint n, global const long *restrict a, global const long *restrict b,
                     global long *restrict product)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    long t[31];
    for (uint k = 0; k < 31; k++)
        t[k] = 0;
    for (uint j = 0; j < 16; j++) {
        long x = a[j * n + i];
        for (uint k = 0; k < 16; k++)
            t[j + k] = t[j + k] + x * b[k * n + i];
    }
    for (uint k = 0; k < 15; k++)
        t[k] = t[k] + 38 * t[k + 16];
    for (uint round = 0; round < 2; round++) {
        long carry = 0;
        for (uint k = 0; k < 16; k++) {
            long x = t[k] + carry;
            carry = x >> 16;
            t[k] = x - (carry << 16);
        }
        t[0] = t[0] + 38 * carry;
    }
    for (uint k = 0; k < 16; k++)
        product[k * n + i] = t[k];
}
