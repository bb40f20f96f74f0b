export void softmax(uniform int rows, uniform int columns, uniform const float x[],
                    uniform float y[])
{
    foreach (c = 0 ... columns) {
        float largest = -1e30f, sum = 0.0f;
        for (uniform int r = 0; r < rows; r++)
            largest = max(largest, x[r * columns + c]);
        for (uniform int r = 0; r < rows; r++) {
            float power = exp(x[r * columns + c] - largest);
            sum += power;
            y[r * columns + c] = power;
        }
        for (uniform int r = 0; r < rows; r++)
            y[r * columns + c] /= sum;
    }
}
