kernel void bicubic(uint width, uint height, uint wide, uint high, float scale_x, float scale_y,
                    global const float *restrict image, global float *restrict large)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float place_x = ((float)x + 0.5f) * scale_x - 0.5f, place_y = ((float)y + 0.5f) * scale_y - 0.5f;
    float first_x = floor(place_x), first_y = floor(place_y);
    float s = place_x - first_x, t = place_y - first_y;
    float wx[4] = {((-0.5f * s + 1.0f) * s - 0.5f) * s, (1.5f * s - 2.5f) * s * s + 1.0f,
                   ((-1.5f * s + 2.0f) * s + 0.5f) * s, (0.5f * s - 0.5f) * s * s};
    float wy[4] = {((-0.5f * t + 1.0f) * t - 0.5f) * t, (1.5f * t - 2.5f) * t * t + 1.0f,
                   ((-1.5f * t + 2.0f) * t + 0.5f) * t, (0.5f * t - 0.5f) * t * t};
    float sum = 0.0f;
    for (int j = 0; j < 4; j++) {
        int row = clamp((int)first_y + j - 1, 0, (int)high - 1);
        float line = 0.0f;
        for (int i = 0; i < 4; i++) {
            int column = clamp((int)first_x + i - 1, 0, (int)wide - 1);
            line += wx[i] * image[row * wide + column];
        }
        sum += wy[j] * line;
    }
    large[y * width + x] = sum;
}
