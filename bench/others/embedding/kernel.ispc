export void embedding(uniform int bags, uniform int columns, uniform const uint32 start[],
                      uniform const uint32 name[], uniform const float table[],
                      uniform float sum[])
{
    for (uniform int bag = 0; bag < bags; bag++) {
        foreach (c = 0 ... columns) {
            float total = 0.0f;
            for (uniform int e = start[bag]; e < start[bag + 1]; e++)
                total += table[name[e] * columns + c];
            sum[bag * columns + c] = total;
        }
    }
}
