export void maxcas(uniform int n, uniform const uint8 key[], uniform const float x[],
                   uniform uint32 most[])
{
    foreach (i = 0 ... n) {
        float value = x[i];
        uint32 k = key[i];
        uint32 old = most[k];
        while (value > floatbits(old)) {
            uint32 seen = atomic_compare_exchange_global(&most[k], old, intbits(value));
            if (seen == old)
                break;
            old = seen;
        }
    }
}
