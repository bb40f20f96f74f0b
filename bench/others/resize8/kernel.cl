kernel void resize8(uint w, uint h, uint width, uint height, uint across, uint down,
                    global const uchar *restrict x, global uchar *restrict y)
{
    uint X = get_global_id(0), Y = get_global_id(1);
    if (X >= width || Y >= height)
        return;
    uint left = X * across >> 16, fx = X * across >> 8 & 255, right = min(left + 1, w - 1);
    uint top = Y * down >> 16, fy = Y * down >> 8 & 255, bottom = min(top + 1, h - 1);
    uint upper = x[top * w + left] * (256 - fx) + x[top * w + right] * fx;
    uint lower = x[bottom * w + left] * (256 - fx) + x[bottom * w + right] * fx;
    y[Y * width + X] = (upper * (256 - fy) + lower * fy + 32768) >> 16;
}
