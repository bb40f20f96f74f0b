export void conv2d(uniform int n, uniform int inputs, uniform int outputs, uniform const float x[],
                   uniform const float weight[], uniform const float bias[], uniform float y[])
{
    uniform int width = n + 2;
    for (uniform int o = 0; o < outputs; o++)
        for (uniform int row = 0; row < n; row++)
            foreach (column = 0 ... n) {
                float sum = bias[o];
                for (uniform int c = 0; c < inputs; c++)
                    for (uniform int i = 0; i < 3; i++)
                        for (uniform int j = 0; j < 3; j++)
                            sum += x[(c * width + row + i) * width + column + j]
                                   * weight[((o * inputs + c) * 3 + i) * 3 + j];
                y[(o * n + row) * n + column] = max(sum, 0.0f);
            }
}
