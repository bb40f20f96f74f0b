export void bins(uniform int n, uniform int values, uniform const uint8 x[],
                 uniform uint32 most[])
{
    foreach (i = 0 ... n) {
        uint8 count[64];
        for (uniform int k = 0; k < 64; k++)
            count[k] = 0;
        for (uniform int k = 0; k < values; k++)
            count[x[k * n + i]]++;
        uint32 best = count[0], where = 0;
        for (uniform int k = 1; k < 64; k++)
            if (count[k] > best) {
                best = count[k];
                where = k;
            }
        most[i] = where;
    }
}
