export void erode(uniform int width, uniform int height, uniform const uint8 x[],
                  uniform uint8 y[])
{
    foreach (row = 0 ... height, column = 0 ... width) {
        uint8 least = 255;
        for (uniform int k = -2; k <= 2; k++) {
            int r = clamp(row + k, 0, height - 1), c = clamp(column + k, 0, width - 1);
            least = min(least, min(x[r * width + column], x[row * width + c]));
        }
        y[row * width + column] = least;
    }
}
