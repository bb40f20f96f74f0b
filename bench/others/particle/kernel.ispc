export void resample(uniform int n, uniform const float cdf[], uniform const float u[],
                     uniform const float x[], uniform const float y[], uniform float new_x[],
                     uniform float new_y[])
{
    foreach (i = 0 ... n) {
        int place = n - 1;
        float own = u[i];
        for (uniform int k = 0; k < n; k++)
            if (cdf[k] >= own) {
                place = k;
                break;
            }
        new_x[i] = x[place];
        new_y[i] = y[place];
    }
}
