export void along(uniform int size, uniform int radius, uniform const float from[],
                  uniform float to[])
{
    foreach (y = 0 ... size) {
        float sum = 0.0f, scale = 1.0f / (2 * radius + 1);
        for (uniform int k = -radius; k <= radius; k++)
            sum += from[y * size + clamp(k, 0, size - 1)];
        to[y * size] = sum * scale;
        for (uniform int x = 1; x < size; x++) {
            sum += from[y * size + min(x + radius, size - 1)] - from[y * size + max(x - radius - 1,
                0)];
            to[y * size + x] = sum * scale;
        }
    }
}

export void down(uniform int size, uniform int radius, uniform const float from[],
                 uniform float to[])
{
    foreach (x = 0 ... size) {
        float sum = 0.0f, scale = 1.0f / (2 * radius + 1);
        for (uniform int k = -radius; k <= radius; k++)
            sum += from[clamp(k, 0, size - 1) * size + x];
        to[x] = sum * scale;
        for (uniform int y = 1; y < size; y++) {
            sum += from[min(y + radius, size - 1) * size + x] - from[max(y - radius - 1,
                0) * size + x];
            to[y * size + x] = sum * scale;
        }
    }
}
