#define VECTORS 40
#define FEATURES 6

kernel void svm(uint n, global const float *restrict vector, global const float *restrict weight,
                global const float *restrict x, global float *restrict y)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float sum = 0.0f;
    for (uint c = 0; c < VECTORS; c++) {
        float product = 1.0f;
        for (uint f = 0; f < FEATURES; f++)
            product += x[f * n + i] * vector[c * FEATURES + f];
        sum += weight[c] * product * product * product;
    }
    y[i] = sum;
}
