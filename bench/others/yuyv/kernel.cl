kernel void yuyv(uint pairs, global const uchar *restrict packed, global uchar *restrict colour)
{
    uint i = get_global_id(0);
    if (i >= pairs)
        return;
    int u = packed[4 * i + 1] - 128, v = packed[4 * i + 3] - 128;
    int red = 409 * v + 128, green = -100 * u - 208 * v + 128, blue = 516 * u + 128;
    for (uint k = 0; k < 2; k++) {
        int y = 298 * (packed[4 * i + 2 * k] - 16);
        colour[6 * i + 3 * k] = clamp((y + red) >> 8, 0, 255);
        colour[6 * i + 3 * k + 1] = clamp((y + green) >> 8, 0, 255);
        colour[6 * i + 3 * k + 2] = clamp((y + blue) >> 8, 0, 255);
    }
}
