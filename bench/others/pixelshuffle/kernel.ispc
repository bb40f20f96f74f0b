export void pixelshuffle(uniform int width, uniform int height, uniform int channels,
                         uniform const float x[], uniform float y[])
{
    for (uniform int c = 0; c < channels; c++)
        for (uniform int row = 0; row < height; row++)
            foreach (column = 0 ... width) {
                uint32 from = c * 4 + row % 2 * 2 + column % 2;
                from = (from * (height / 2) + row / 2) * (width / 2) + column / 2;
                y[(c * height + row) * width + column] = x[from];
            }
}
