kernel void bilateral(uint width, uint height, float near, float alike,
                      global const float *restrict image, global float *restrict smooth)
{
    uint x = get_global_id(0), y = get_global_id(1), row = width + 4;
    if (x >= width || y >= height)
        return;
    float middle = image[(y + 2) * row + x + 2], sum = 0.0f, weights = 0.0f;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            float pixel = image[(y + j + 2) * row + x + i + 2], difference = pixel - middle;
            float weight = exp(-near * (float)(i * i + j * j) - alike * difference * difference);
            sum += weight * pixel;
            weights += weight;
        }
    smooth[y * width + x] = sum / weights;
}
