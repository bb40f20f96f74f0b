export void yuyv(uniform int pairs, uniform const uint8 packed[], uniform uint8 colour[])
{
    foreach (i = 0 ... pairs) {
        int u = (int)packed[4 * i + 1] - 128, v = (int)packed[4 * i + 3] - 128;
        int red = 409 * v + 128, green = -100 * u - 208 * v + 128, blue = 516 * u + 128;
        for (uniform int k = 0; k < 2; k++) {
            int y = 298 * ((int)packed[4 * i + 2 * k] - 16);
            colour[6 * i + 3 * k] = clamp((y + red) >> 8, 0, 255);
            colour[6 * i + 3 * k + 1] = clamp((y + green) >> 8, 0, 255);
            colour[6 * i + 3 * k + 2] = clamp((y + blue) >> 8, 0, 255);
        }
    }
}
