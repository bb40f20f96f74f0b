#define OUTPUTS 12

kernel void pointwise(uint pixels, uint inputs, global const float *restrict image,
                      global const float *restrict weights, global float *restrict result)
{
    uint i = get_global_id(0);
    if (i >= pixels)
        return;
    float sum[OUTPUTS];
    for (uint k = 0; k < OUTPUTS; k++)
        sum[k] = 0;
    for (uint c = 0; c < inputs; c++) {
        float x = image[c * pixels + i];
        for (uint k = 0; k < OUTPUTS; k++)
            sum[k] += x * weights[c * OUTPUTS + k];
    }
    for (uint k = 0; k < OUTPUTS; k++)
        result[k * pixels + i] = sum[k];
}
