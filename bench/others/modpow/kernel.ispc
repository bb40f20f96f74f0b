export void modpow(uniform int n, uniform const uint32 base[], uniform const uint32 exponent[],
                   uniform const uint32 modulus[], uniform uint32 power[])
{
    foreach (i = 0 ... n) {
        unsigned int m = modulus[i];
        unsigned int b = base[i] % m, p = 1 % m;
        for (unsigned int e = exponent[i]; e != 0; e >>= 1) {
            if (e & 1)
                p = p * b % m;
            b = b * b % m;
        }
        power[i] = p;
    }
}
