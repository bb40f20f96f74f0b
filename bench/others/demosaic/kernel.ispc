export void demosaic(uniform int width, uniform int height, uniform const uint8 raw[],
                     uniform uint8 colour[])
{
    for (uniform int y = 1; y < height - 1; y++) {
        uniform int row = y * width;
        foreach (x = 1 ... width - 1) {
            int i = row + x;
            uint32 here = raw[i], beside = (uint32)raw[i - 1] + raw[i + 1];
            uint32 along = (uint32)raw[i - width] + raw[i + width];
            uint32 corners = (uint32)raw[i - width - 1] + raw[i - width + 1] + raw[i + width - 1]
                             + raw[i + width + 1];
            uint32 red, green, blue;
            if (y % 2 == 0) {
                if (x % 2 == 0) {
                    red = here;
                    green = (beside + along) / 4;
                    blue = corners / 4;
                } else {
                    red = beside / 2;
                    green = here;
                    blue = along / 2;
                }
            } else if (x % 2 == 0) {
                red = along / 2;
                green = here;
                blue = beside / 2;
            } else {
                red = corners / 4;
                green = (beside + along) / 4;
                blue = here;
            }
            colour[3 * i] = red;
            colour[3 * i + 1] = green;
            colour[3 * i + 2] = blue;
        }
    }
}
