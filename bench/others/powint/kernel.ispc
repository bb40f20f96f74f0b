export void powint(uniform int n, uniform const uint32 base[], uniform const uint32 power[],
                   uniform uint32 y[])
{
    foreach (i = 0 ... n) {
        uint32 b = base[i], p = power[i], result = 1;
        while (p != 0) {
            if ((p & 1) != 0)
                result *= b;
            b *= b;
            p >>= 1;
        }
        y[i] = result;
    }
}
