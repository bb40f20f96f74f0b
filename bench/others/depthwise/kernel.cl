kernel void depthwise(uint channels, uint width, uint height, global const float *restrict x,
                      global const float *restrict weight, global const float *restrict bias,
                      global float *restrict y)
{
    uint i = get_global_id(0);
    if (i >= channels * width * height)
        return;
    int c = i % channels, column = i / channels % width, row = i / (channels * width);
    float sum = bias[c];
    for (int dy = 0; dy < 3; dy++) {
        int v = row + dy - 1;
        if (v < 0 || v >= (int)height)
            continue;
        for (int dx = 0; dx < 3; dx++) {
            int u = column + dx - 1;
            if (u < 0 || u >= (int)width)
                continue;
            sum += x[(v * width + u) * channels + c] * weight[(dy * 3 + dx) * channels + c];
        }
    }
    y[i] = clamp(sum, 0.0f, 6.0f);
}
