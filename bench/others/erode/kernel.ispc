export void erode(uniform int width, uniform int height, uniform const uint8 x[],
                  uniform uint8 y[])
{
    foreach (j = 0 ... height, i = 0 ... width) {
        uint8 least = 255;
        for (uniform int dj = -1; dj <= 1; dj++)
            for (uniform int di = -1; di <= 1; di++) {
                int row = clamp(j + dj, 0, height - 1);
                int column = clamp(i + di, 0, width - 1);
                least = min(least, x[row * width + column]);
            }
        y[j * width + i] = least;
    }
}
