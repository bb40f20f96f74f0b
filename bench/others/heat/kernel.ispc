/* Without a tile: the cache has the rows and planes around. */
export void heat(uniform int n, uniform int planes, uniform float rate, uniform const float x[],
                 uniform float y[])
{
    uniform int width = n + 2;
    uniform int plane = width * width;
    for (uniform int z = 1; z <= planes; z++) {
        for (uniform int row = 1; row <= n; row++) {
            foreach (column = 1 ... n + 1) {
                int i = z * plane + row * width + column;
                float near = x[i - 1] + x[i + 1] + x[i - width] + x[i + width] + x[i - plane]
                             + x[i + plane];
                y[i] = x[i] + rate * (near - 6.0f * x[i]);
            }
        }
    }
}
