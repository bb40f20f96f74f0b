kernel void particle(uint n, int size, int count, global const int *restrict image,
                     global const int *restrict dx, global const int *restrict dy,
                     global const float *restrict px, global const float *restrict py,
                     global float *restrict likelihood)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    int x = (int)(px[i] + 0.5f), y = (int)(py[i] + 0.5f);
    float sum = 0.0f;
    for (int k = 0; k < count; k++) {
        int at = abs((y + dy[k]) * size + x + dx[k]);
        if (at >= size * size)
            at = 0;
        float a = (float)image[at] - 100.0f, b = (float)image[at] - 228.0f;
        sum += (a * a - b * b) / 50.0f;
    }
    likelihood[i] = sum / (float)count;
}
