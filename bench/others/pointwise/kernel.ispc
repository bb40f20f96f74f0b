#define OUTPUTS 12

export void pointwise(uniform int pixels, uniform int inputs, uniform const float image[],
                      uniform const float weights[], uniform float result[])
{
    foreach (i = 0 ... pixels) {
        float sum[OUTPUTS];
        for (uniform int k = 0; k < OUTPUTS; k++)
            sum[k] = 0.0f;
        for (uniform int c = 0; c < inputs; c++) {
            float x = image[c * pixels + i];
            for (uniform int k = 0; k < OUTPUTS; k++)
                sum[k] += x * weights[c * OUTPUTS + k];
        }
        for (uniform int k = 0; k < OUTPUTS; k++)
            result[k * pixels + i] = sum[k];
    }
}
