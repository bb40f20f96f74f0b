kernel void conv2d(uint n, uint inputs, uint outputs, global const float *restrict x,
                   global const float *restrict weight, global const float *restrict bias,
                   global float *restrict y)
{
    uint column = get_global_id(0), row = get_global_id(1), o = get_global_id(2);
    if (column >= n || row >= n)
        return;
    uint width = n + 2;
    float sum = bias[o];
    for (uint c = 0; c < inputs; c++)
        for (uint i = 0; i < 3; i++)
            for (uint j = 0; j < 3; j++)
                sum += x[(c * width + row + i) * width + column + j]
                       * weight[((o * inputs + c) * 3 + i) * 3 + j];
    y[(o * n + row) * n + column] = max(sum, 0.0f);
}
