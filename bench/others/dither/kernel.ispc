export void dither(uniform int height, uniform int width, uniform const uint8 before[],
                   uniform uint8 after[])
{
    foreach (y = 0 ... height) {
        int error = 0;
        for (uniform int x = 0; x < width; x++) {
            int value = before[y * width + x] + error;
            int shown = value < 128 ? 0 : 255;
            after[y * width + x] = shown;
            error = value - shown;
        }
    }
}
