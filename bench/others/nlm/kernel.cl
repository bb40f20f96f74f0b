kernel void nlm(uint width, uint height, float alike, global const float *restrict image,
                global float *restrict smooth)
{
    int x = get_global_id(0), y = get_global_id(1), row = width + 8;
    if (x >= (int)width || y >= (int)height)
        return;
    int here = (y + 4) * row + x + 4;
    float sum = 0.0f, weights = 0.0f;
    for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++) {
            int there = here + dy * row + dx;
            float difference = 0.0f;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) {
                    float d = image[here + j * row + i] - image[there + j * row + i];
                    difference += d * d;
                }
            float weight = exp(-difference * alike);
            sum += weight * image[there];
            weights += weight;
        }
    smooth[y * width + x] = sum / weights;
}
