export void gcd64(uniform int n, uniform const uint64 as[], uniform const uint64 bs[],
                  uniform uint64 divisor[])
{
    foreach (i = 0 ... n) {
        uint64 a = as[i], b = bs[i];
        int shift = 0;
        while (((a | b) & 1) == 0) {
            a >>= 1;
            b >>= 1;
            shift++;
        }
        while ((a & 1) == 0)
            a >>= 1;
        while (b != 0) {
            while ((b & 1) == 0)
                b >>= 1;
            uint64 low = min(a, b);
            b = max(a, b) - low;
            a = low;
        }
        divisor[i] = a << shift;
    }
}
