/* Without a tile: the cache has the rows and planes around. */
export void tiles3d(uniform int n, uniform const float x[], uniform float y[])
{
    uniform int width = n + 2;
    uniform int plane = width * width;
    for (uniform int z = 0; z < n; z++) {
        for (uniform int row = 0; row < n; row++) {
            foreach (column = 0 ... n) {
                int i = ((z + 1) * width + row + 1) * width + column + 1;
                float near = x[i - 1] + x[i + 1] + x[i - width] + x[i + width] + x[i - plane]
                             + x[i + plane];
                y[(z * n + row) * n + column] = near - 6.0f * x[i];
            }
        }
    }
}
