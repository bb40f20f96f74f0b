kernel void warpaffine(uint width, uint height, float a, float b, float c, float d, float e,
                       float f, global const uchar *restrict image, global uchar *restrict warped)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float u = a * x + b * y + c, v = d * x + e * y + f;
    int i = (int)floor(u), j = (int)floor(v);
    float value = 0.0f;
    if (i >= 0 && i < (int)width - 1 && j >= 0 && j < (int)height - 1) {
        int at = j * width + i;
        u -= i;
        v -= j;
        float above = image[at] * (1.0f - u) + image[at + 1] * u;
        float below = image[at + width] * (1.0f - u) + image[at + width + 1] * u;
        value = above * (1.0f - v) + below * v + 0.5f;
    }
    warped[y * width + x] = (uchar)value;
}
