export void gemvwarp(uniform int rows, uniform int columns, uniform const float a[],
                     uniform const float x[], uniform float y[])
{
    for (uniform int r = 0; r < rows; r++) {
        float sum = 0.0f;
        foreach (j = 0 ... columns)
            sum += a[r * columns + j] * x[j];
        y[r] = reduce_add(sum);
    }
}
