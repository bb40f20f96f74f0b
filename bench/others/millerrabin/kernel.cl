uint product(uint a, uint b, uint n, uint inverse)
{
    ulong t = (ulong)a * b;
    uint low = (uint)t * inverse, high = t >> 32, less = mul_hi(low, n);
    return high - less + (high < less ? n : 0);
}

kernel void millerrabin(uint count, global const uint *restrict number, global uint *restrict prime)
{
    size_t i = get_global_id(0);
    if (i >= count)
        return;
    uint n = number[i], inverse = n;
    for (uint k = 0; k < 4; k++)
        inverse *= 2 - n * inverse;
    uint one = -n % n, twos = 0, odd = n - 1;
    while ((odd & 1) == 0) {
        odd >>= 1;
        twos++;
    }
    uint square = (ulong)one * one % n, result = 1;
    for (uint b = 0; b < 3; b++) {
        uint base = b == 0 ? 2 : b == 1 ? 7 : 61;
        uint x = one, y = product(base, square, n, inverse);
        for (uint e = odd; e != 0; e >>= 1) {
            if (e & 1)
                x = product(x, y, n, inverse);
            y = product(y, y, n, inverse);
        }
        uint k = 0;
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
