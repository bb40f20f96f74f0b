kernel void erode(uint width, uint height, global const uchar *restrict x,
                  global uchar *restrict y)
{
    int i = get_global_id(0), j = get_global_id(1);
    uchar least = 255;
    for (int dj = -1; dj <= 1; dj++)
        for (int di = -1; di <= 1; di++) {
            int row = clamp(j + dj, 0, (int)height - 1);
            int column = clamp(i + di, 0, (int)width - 1);
            least = min(least, x[row * width + column]);
        }
    y[j * width + i] = least;
}
