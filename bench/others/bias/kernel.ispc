export void bias(uniform int w, uniform int h, uniform float a, uniform const float x[],
                 uniform const float b[], uniform float y[])
{
    for (uniform int row = 0; row < h; row++) {
        foreach (column = 0 ... w) {
            int i = row * w + column;
            y[i] = max(a * x[i] + b[column], 0.0f);
        }
    }
}
