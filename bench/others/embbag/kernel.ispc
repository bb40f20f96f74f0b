export void embbag(uniform int dim, uniform int bags, uniform const uint32 first[],
                   uniform const uint32 rows[], uniform const float share[],
                   uniform const float table[], uniform float y[])
{
    for (uniform int bag = 0; bag < bags; bag++)
        foreach (k = 0 ... dim) {
            float sum = 0;
            for (uniform uint32 e = first[bag]; e < first[bag + 1]; e++)
                sum += share[e] * table[rows[e] * dim + k];
            y[bag * dim + k] = sum;
        }
}
