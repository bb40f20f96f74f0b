kernel void along(int size, int radius, global const float *restrict from,
                  global float *restrict to)
{
    int y = get_global_id(0);
    if (y >= size)
        return;
    float sum = 0.0f, scale = 1.0f / (2 * radius + 1);
    for (int k = -radius; k <= radius; k++)
        sum += from[y * size + clamp(k, 0, size - 1)];
    to[y * size] = sum * scale;
    for (int x = 1; x < size; x++) {
        sum += from[y * size + min(x + radius, size - 1)] - from[y * size + max(x - radius - 1, 0)];
        to[y * size + x] = sum * scale;
    }
}

kernel void down(int size, int radius, global const float *restrict from, global float *restrict to)
{
    int x = get_global_id(0);
    if (x >= size)
        return;
    float sum = 0.0f, scale = 1.0f / (2 * radius + 1);
    for (int k = -radius; k <= radius; k++)
        sum += from[clamp(k, 0, size - 1) * size + x];
    to[x] = sum * scale;
    for (int y = 1; y < size; y++) {
        sum += from[min(y + radius, size - 1) * size + x] - from[max(y - radius - 1, 0) * size + x];
        to[y * size + x] = sum * scale;
    }
}
