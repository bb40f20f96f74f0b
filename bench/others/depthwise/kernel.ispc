export void depthwise(uniform int channels, uniform int width, uniform int height,
                      uniform const float x[], uniform const float weight[],
                      uniform const float bias[], uniform float y[])
{
    for (uniform int row = 0; row < height; row++) {
        for (uniform int column = 0; column < width; column++) {
            foreach (c = 0 ... channels) {
                float sum = bias[c];
                for (uniform int dy = 0; dy < 3; dy++) {
                    uniform int v = row + dy - 1;
                    if (v < 0 || v >= height)
                        continue;
                    for (uniform int dx = 0; dx < 3; dx++) {
                        uniform int u = column + dx - 1;
                        if (u < 0 || u >= width)
                            continue;
                        sum += x[(v * width + u) * channels + c]
                             * weight[(dy * 3 + dx) * channels + c];
                    }
                }
                y[(row * width + column) * channels + c] = clamp(sum, 0.0f, 6.0f);
            }
        }
    }
}
