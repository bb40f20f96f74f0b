#define SIDE 5

/* Without a tile: the cache has the rows around. */
export void convolution(uniform int n, uniform const float weight[], uniform const float x[],
                        uniform float y[])
{
    uniform int width = n + SIDE - 1;
    for (uniform int row = 0; row < n; row++) {
        foreach (column = 0 ... n) {
            float sum = 0.0f;
            for (uniform int i = 0; i < SIDE; i++)
                for (uniform int j = 0; j < SIDE; j++)
                    sum += weight[i * SIDE + j] * x[(row + i) * width + column + j];
            y[row * n + column] = sum;
        }
    }
}
