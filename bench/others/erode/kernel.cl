kernel void erode(uint width, uint height, global const uchar *restrict x, global uchar *restrict y)
{
    int column = get_global_id(0), row = get_global_id(1);
    int w = width, h = height;
    if (column >= w || row >= h)
        return;
    uchar least = 255;
    for (int k = -2; k <= 2; k++) {
        int r = clamp(row + k, 0, h - 1), c = clamp(column + k, 0, w - 1);
        least = min(least, min(x[r * w + column], x[row * w + c]));
    }
    y[row * w + column] = least;
}
