static inline uint32 product(uint32 a, uint32 b, uint32 n, uint32 inverse)
{
    uint64 t = (uint64)a * b;
    uint32 low = (uint32)t * inverse;
    uint32 high = t >> 32;
    uint32 less = (uint32)((uint64)low * n >> 32);
    uint32 difference = high - less;
    if (high < less)
        difference += n;
    return difference;
}

export void millerrabin(uniform int count, uniform const uint32 number[], uniform uint32 prime[])
{
    foreach (i = 0 ... count) {
        uint32 n = number[i];
        uint32 inverse = n;
        for (uniform int k = 0; k < 4; k++)
            inverse *= 2 - n * inverse;
        uint32 one = (0 - n) % n;
        uint32 twos = 0, odd = n - 1;
        while ((odd & 1) == 0) {
            odd >>= 1;
            twos++;
        }
        uint32 square = (uint32)((uint64)one * one % n), result = 1;
        for (uniform int b = 0; b < 3; b++) {
            uniform uint32 base = b == 0 ? 2 : b == 1 ? 7 : 61;
            uint32 x = one;
            uint32 y = product(base, square, n, inverse);
            for (uint32 e = odd; e != 0; e >>= 1) {
                if (e & 1)
                    x = product(x, y, n, inverse);
                y = product(y, y, n, inverse);
            }
            uint32 k = 0;
            if (x != one)
                while (x != n - one) {
                    k++;
                    if (k == twos)
                        break;
                    x = product(x, x, n, inverse);
                }
            if (k == twos) {
                result = 0;
                break;
            }
        }
        prime[i] = result;
    }
}
