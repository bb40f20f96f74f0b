export void warpaffine(uniform int width, uniform int height, uniform float a, uniform float b,
                       uniform float c, uniform float d, uniform float e, uniform float f,
                       uniform const unsigned int8 image[], uniform unsigned int8 warped[])
{
    foreach (y = 0 ... height, x = 0 ... width) {
        float u = a * x + b * y + c, v = d * x + e * y + f;
        int i = (int)floor(u), j = (int)floor(v);
        float value = 0.0f;
        if (i >= 0 && i < width - 1 && j >= 0 && j < height - 1) {
            int at = j * width + i;
            u -= i;
            v -= j;
            float above = (int)image[at] * (1.0f - u) + (int)image[at + 1] * u;
            float below = (int)image[at + width] * (1.0f - u) + (int)image[at + width + 1] * u;
            value = above * (1.0f - v) + below * v + 0.5f;
        }
        warped[y * width + x] = (unsigned int8)(int)value;
    }
}
