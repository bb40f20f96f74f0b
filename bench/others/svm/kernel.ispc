#define VECTORS 40
#define FEATURES 6

export void svm(uniform int n, uniform const float vector[], uniform const float weight[],
                uniform const float x[], uniform float y[])
{
    foreach (i = 0 ... n) {
        float sum = 0.0f;
        for (uniform int c = 0; c < VECTORS; c++) {
            float product = 1.0f;
            for (uniform int f = 0; f < FEATURES; f++)
                product += x[f * n + i] * vector[c * FEATURES + f];
            sum += weight[c] * product * product * product;
        }
        y[i] = sum;
    }
}
