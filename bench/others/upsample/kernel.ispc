export void upsample(uniform int channels, uniform int width, uniform int height,
                     uniform const float x[], uniform float y[])
{
    for (uniform int row = 0; row < height; row++) {
        for (uniform int column = 0; column < width; column++) {
            uniform int from = (row / 2 * (width / 2) + column / 2) * channels;
            uniform int to = (row * width + column) * channels;
            foreach (c = 0 ... channels) {
                y[to + c] = x[from + c];
            }
        }
    }
}
