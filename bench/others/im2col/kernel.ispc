export void im2col(uniform int n, uniform int height, uniform int width,
                   uniform const float image[], uniform float columns[])
{
    uniform int channels = n / (height * width);
    for (uniform int channel = 0; channel < channels; channel++) {
        foreach (y = 0 ... height, x = 0 ... width) {
            int to = (channel * 9 * height + y) * width + x;
            for (uniform int dy = -1; dy <= 1; dy++) {
                for (uniform int dx = -1; dx <= 1; dx++) {
                    int u = x + dx, v = y + dy;
                    float value = 0.0f;
                    if (u >= 0 && v >= 0 && u < width && v < height)
                        value = image[(channel * height + v) * width + u];
                    columns[to] = value;
                    to += height * width;
                }
            }
        }
    }
}
