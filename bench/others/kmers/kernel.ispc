export void kmers(uniform int n, uniform const uint8 base[], uniform uint32 count[])
{
    foreach (i = 0 ... n) {
        uint32 word = 0;
        for (uniform int k = 0; k < 6; k++)
            word = word * 4 + (base[i + k] >> 1 & 3);
        atomic_add_global(&count[word], 1);
    }
}
