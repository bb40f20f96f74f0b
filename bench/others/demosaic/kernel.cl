kernel void demosaic(uint width, uint height, global const uchar *restrict raw,
                     global uchar *restrict colour)
{
    uint x = get_global_id(0), y = get_global_id(1), i = y * width + x;
    if (x == 0 || x >= width - 1 || y == 0 || y >= height - 1)
        return;
    uint here = raw[i], beside = raw[i - 1] + raw[i + 1], along = raw[i - width] + raw[i + width];
    uint corners = raw[i - width - 1] + raw[i - width + 1] + raw[i + width - 1] + raw[i + width + 1];
    uint red, green, blue;
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
