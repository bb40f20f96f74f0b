export void batchnorm(uniform int n, uniform int channels, uniform const float x[],
                      uniform const float scale[], uniform const float shift[], uniform float y[])
{
    for (uniform int first = 0; first < n; first += channels) {
        foreach (c = 0 ... channels) {
            y[first + c] = max(scale[c] * x[first + c] + shift[c], 0.0f);
        }
    }
}
