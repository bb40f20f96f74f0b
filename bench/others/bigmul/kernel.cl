kernel void bigmul(uint n, global const uint *restrict a, global const uint *restrict b,
                   global uint *restrict product)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint u[8], v[8], p[16];
    for (int k = 0; k < 8; k++) {
        u[k] = a[k * n + i];
        v[k] = b[k * n + i];
    }
    for (int k = 0; k < 16; k++)
        p[k] = 0;
    for (int j = 0; j < 8; j++) {
        uint carry = 0;
        for (int k = 0; k < 8; k++) {
            ulong t = (ulong)u[j] * v[k] + p[j + k] + carry;
            p[j + k] = (uint)t;
            carry = (uint)(t >> 32);
        }
        p[j + 8] = carry;
    }
    for (int k = 0; k < 16; k++)
        product[k * n + i] = p[k];
}
