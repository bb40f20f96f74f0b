/* Without a tile: the cache has the rows above and below. */
export void jacobi(uniform int n, uniform const float x[], uniform float y[])
{
    uniform int width = n + 2;
    for (uniform int row = 1; row <= n; row++) {
        foreach (column = 1 ... n + 1) {
            int i = row * width + column;
            y[i] = 0.2f * (x[i - 1] + x[i + 1] + x[i - width] + x[i + width] + x[i]);
        }
    }
}
