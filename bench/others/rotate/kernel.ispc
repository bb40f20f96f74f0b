export void rotate_image(uniform int width, uniform int height, uniform float cosine,
                         uniform float sine, uniform const float image[], uniform float turned[])
{
    for (uniform int y = 0; y < height; y++) {
        foreach (x = 0 ... width) {
            float dx = (float)x - width * 0.5f, dy = (float)y - height * 0.5f;
            float u = cosine * dx - sine * dy + width * 0.5f;
            float v = sine * dx + cosine * dy + height * 0.5f;
            u = min(max(u, 0.0f), width - 1.001f);
            v = min(max(v, 0.0f), height - 1.001f);
            int left = (int)u, top = (int)v;
            float a = u - left, b = v - top;
            int i = top * width + left;
            float upper = image[i] + a * (image[i + 1] - image[i]);
            float lower = image[i + width] + a * (image[i + width + 1] - image[i + width]);
            turned[y * width + x] = upper + b * (lower - upper);
        }
    }
}
