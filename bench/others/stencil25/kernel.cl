#define RADIUS 4

kernel void wave(uint n, global const float *restrict weight, global const float *restrict speed,
                 global const float *restrict now, global float *restrict before)
{
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= n || y >= n || z >= n)
        return;
    uint width = n + 2 * RADIUS, plane = width * width;
    uint i = (z + RADIUS) * plane + (y + RADIUS) * width + x + RADIUS;
    float sum = 3.0f * weight[0] * now[i];
    for (uint r = 1; r <= RADIUS; r++)
        sum += weight[r] * (now[i - r] + now[i + r] + now[i - r * width] + now[i + r * width]
                            + now[i - r * plane] + now[i + r * plane]);
    before[i] = 2.0f * now[i] - before[i] + speed[(z * n + y) * n + x] * sum;
}
