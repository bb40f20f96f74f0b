export void perceptron(uniform int n, uniform int m, uniform const float w[], uniform const float x[], uniform float y[])
{
    foreach (i = 0 ... n) {
        for (uniform int o = 0; o < m; o++) {
            float sum = 0.0f;
            for (uniform int k = 0; k < 4; k++)
                sum += w[o * 4 + k] * x[i * 4 + k];
            y[i * m + o] = sum;
        }
    }
}
