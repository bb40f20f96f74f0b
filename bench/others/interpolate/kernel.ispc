export void interpolate(uniform int n, uniform int knots, uniform const float x[],
                        uniform const float y[], uniform const float at[], uniform float value[])
{
    foreach (i = 0 ... n) {
        float a = at[i];
        int low = 0, high = knots - 1;
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (x[middle] <= a)
                low = middle;
            else
                high = middle;
        }
        value[i] = y[low] + (a - x[low]) / (x[low + 1] - x[low]) * (y[low + 1] - y[low]);
    }
}
