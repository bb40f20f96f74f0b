export void griddot(uniform int n, uniform int groups, uniform const float x[],
                    uniform const float y[], uniform float sum[])
{
    for (uniform int g = 0; g < groups; g++) {
        float total = 0.0f;
        for (uniform int first = g * 256; first < n; first += groups * 256) {
            foreach (i = first ... min(first + 256, n))
                total += x[i] * y[i];
        }
        sum[g] = reduce_add(total);
    }
}
