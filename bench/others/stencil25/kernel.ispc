#define RADIUS 4

export void wave(uniform int n, uniform const float weight[], uniform const float speed[],
                 uniform const float now[], uniform float before[])
{
    uniform int width = n + 2 * RADIUS;
    uniform int plane = width * width;
    for (uniform int z = 0; z < n; z++)
        for (uniform int y = 0; y < n; y++)
            foreach (x = 0 ... n) {
                int i = (z + RADIUS) * plane + (y + RADIUS) * width + x + RADIUS;
                float sum = 3.0f * weight[0] * now[i];
                for (uniform int r = 1; r <= RADIUS; r++)
                    sum += weight[r] * (now[i - r] + now[i + r] + now[i - r * width]
                                        + now[i + r * width] + now[i - r * plane]
                                        + now[i + r * plane]);
                before[i] = 2.0f * now[i] - before[i] + speed[(z * n + y) * n + x] * sum;
            }
}
