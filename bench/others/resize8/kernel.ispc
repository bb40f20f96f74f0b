export void resize8(uniform unsigned int w, uniform unsigned int h, uniform unsigned int width,
                    uniform unsigned int height, uniform unsigned int across,
                    uniform unsigned int down, uniform const uint8 x[], uniform uint8 y[])
{
    for (uniform unsigned int Y = 0; Y < height; Y++) {
        uniform unsigned int top = Y * down >> 16, fy = Y * down >> 8 & 255;
        uniform unsigned int bottom = min(top + 1, h - 1);
        foreach (X = 0 ... width) {
            unsigned int left = X * across >> 16, fx = X * across >> 8 & 255;
            unsigned int right = min(left + 1, w - 1);
            unsigned int upper = x[top * w + left] * (256 - fx) + x[top * w + right] * fx;
            unsigned int lower = x[bottom * w + left] * (256 - fx) + x[bottom * w + right] * fx;
            y[Y * width + X] = (uint8)((upper * (256 - fy) + lower * fy + 32768) >> 16);
        }
    }
}
