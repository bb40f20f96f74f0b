#define TILE 16

/* A block's work-items are a loop over its rows and a foreach along each; barriers end the loops. */
export void matmul(uniform int n, uniform const float a[], uniform const float b[],
                   uniform float c[])
{
    for (uniform int y = 0; y < n; y += TILE) {
        for (uniform int x = 0; x < n; x += TILE) {
            uniform float as[TILE][TILE], bs[TILE][TILE], sums[TILE][TILE];
            for (uniform int ty = 0; ty < TILE; ty++)
                foreach (tx = 0 ... TILE)
                    sums[ty][tx] = 0.0f;
            for (uniform int t = 0; t < n; t += TILE) {
                for (uniform int ty = 0; ty < TILE; ty++) {
                    foreach (tx = 0 ... TILE) {
                        as[ty][tx] = a[(y + ty) * n + t + tx];
                        bs[ty][tx] = b[(t + ty) * n + x + tx];
                    }
                }
                for (uniform int ty = 0; ty < TILE; ty++) {
                    foreach (tx = 0 ... TILE) {
                        float sum = sums[ty][tx];
                        for (uniform int k = 0; k < TILE; k++)
                            sum += as[ty][k] * bs[k][tx];
                        sums[ty][tx] = sum;
                    }
                }
            }
            for (uniform int ty = 0; ty < TILE; ty++)
                foreach (tx = 0 ... TILE)
                    c[(y + ty) * n + x + tx] = sums[ty][tx];
        }
    }
}
