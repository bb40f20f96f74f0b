kernel void pixelshuffle(uint width, uint height, uint channels, global const float *restrict x,
                         global float *restrict y)
{
    uint column = get_global_id(0), row = get_global_id(1), c = get_global_id(2);
    if (column >= width || row >= height || c >= channels)
        return;
    uint from = c * 4 + row % 2 * 2 + column % 2;
    from = (from * (height / 2) + row / 2) * (width / 2) + column / 2;
    y[(c * height + row) * width + column] = x[from];
}
