export void bases(uniform int n, uniform const uint8 x[], uniform uint32 out[])
{
    foreach (i = 0 ... n) {
        uint32 c[4];
        for (uniform int k = 0; k < 4; k++)
            c[k] = 0;
        for (uniform int k = 0; k < 64; k++)
            c[x[k * n + i] & 3]++;
        for (uniform int k = 0; k < 4; k++)
            out[k * n + i] = c[k];
    }
}
