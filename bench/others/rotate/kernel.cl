kernel void rotate_image(uint width, uint height, float cosine, float sine,
                         global const float *restrict image, global float *restrict turned)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float dx = (float)x - (float)width * 0.5f, dy = (float)y - (float)height * 0.5f;
    float u = cosine * dx - sine * dy + (float)width * 0.5f;
    float v = sine * dx + cosine * dy + (float)height * 0.5f;
    u = fmin(fmax(u, 0.0f), (float)width - 1.001f);
    v = fmin(fmax(v, 0.0f), (float)height - 1.001f);
    uint left = (uint)u, top = (uint)v;
    float a = u - (float)left, b = v - (float)top;
    global const float *pixel = image + top * width + left;
    float upper = pixel[0] + a * (pixel[1] - pixel[0]);
    float lower = pixel[width] + a * (pixel[width + 1] - pixel[width]);
    turned[y * width + x] = upper + b * (lower - upper);
}
