export void layer(uniform int size, uniform int inputs, uniform int outputs,
                  uniform const float image[], uniform const float weights[],
                  uniform const float bias[], uniform float result[])
{
    uniform int row = size + 2;
    for (uniform int o = 0; o < outputs; o++) {
        for (uniform int y = 0; y < size; y++) {
            foreach (x = 0 ... size) {
                float sum = bias[o];
                for (uniform int c = 0; c < inputs; c++)
                    for (uniform int j = 0; j < 3; j++)
                        for (uniform int i = 0; i < 3; i++)
                            sum += weights[((o * inputs + c) * 3 + j) * 3 + i]
                                   * image[(c * row + y + j) * row + x + i];
                result[(o * size + y) * size + x] = max(sum, 0.0f);
            }
        }
    }
}
