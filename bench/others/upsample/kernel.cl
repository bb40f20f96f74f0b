kernel void upsample(uint channels, uint width, uint height, global const float *x,
                     global float *y)
{
    uint i = get_global_id(0);
    if (i >= channels * width * height)
        return;
    uint c = i % channels, column = i / channels % width, row = i / (channels * width);
    y[i] = x[(row / 2 * (width / 2) + column / 2) * channels + c];
}
