export void rmsnorm(uniform int rows, uniform int columns, uniform const float x[],
                    uniform const float gain[], uniform float y[])
{
    for (uniform int row = 0; row < rows; row++) {
        uniform int first = row * columns;
        float sum = 0.0f;
        foreach (k = 0 ... columns)
            sum += x[first + k] * x[first + k];
        uniform float scale = 1.0f / sqrt(reduce_add(sum) / columns + 0.000001f);
        foreach (k = 0 ... columns)
            y[first + k] = x[first + k] * scale * gain[k];
    }
}
