#define RADIUS 4

/* Without a tile: the cache has the rows and planes around. */
export void fdtd3d(uniform int n, uniform int planes, uniform const float weight[],
                   uniform const float x[], uniform float y[])
{
    uniform int width = n + 2 * RADIUS;
    uniform int plane = width * width;
    for (uniform int z = RADIUS; z < planes + RADIUS; z++) {
        for (uniform int row = RADIUS; row < n + RADIUS; row++) {
            foreach (column = RADIUS ... n + RADIUS) {
                int i = z * plane + row * width + column;
                float sum = weight[0] * x[i];
                for (uniform int r = 1; r <= RADIUS; r++)
                    sum += weight[r]
                           * (x[i - r * plane] + x[i + r * plane] + x[i - r * width]
                              + x[i + r * width] + x[i - r] + x[i + r]);
                y[i] = sum;
            }
        }
    }
}
