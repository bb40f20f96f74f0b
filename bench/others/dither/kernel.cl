kernel void dither(uint height, uint width, global const uchar *restrict before,
                   global uchar *restrict after)
{
    uint y = get_global_id(0);
    if (y >= height)
        return;
    int error = 0;
    for (uint x = 0; x < width; x++) {
        int value = before[y * width + x] + error;
        int shown = value < 128 ? 0 : 255;
        after[y * width + x] = shown;
        error = value - shown;
    }
}
