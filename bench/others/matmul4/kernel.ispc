#define TILE 32

/* A block's work-items are a loop over its rows and a foreach along each; barriers end the loops. */
export void matmul4(uniform int n, uniform int inner, uniform const float a[],
                    uniform const float b[], uniform float c[])
{
    for (uniform int y = 0; y < n; y += TILE) {
        for (uniform int x = 0; x < n; x += TILE) {
            uniform float as[TILE][TILE], bs[TILE][TILE], sums[TILE][TILE];
            for (uniform int ty = 0; ty < TILE; ty++)
                foreach (tx = 0 ... TILE)
                    sums[ty][tx] = 0.0f;
            for (uniform int t = 0; t < inner; t += TILE) {
                for (uniform int ty = 0; ty < TILE; ty++) {
                    foreach (tx = 0 ... TILE) {
                        as[ty][tx] = a[(y + ty) * inner + t + tx];
                        bs[ty][tx] = b[(t + ty) * n + x + tx];
                    }
                }
                for (uniform int ty = 0; ty < 8; ty++) {
                    foreach (tx = 0 ... TILE) {
                        float sum[4];
                        for (uniform int j = 0; j < 4; j++)
                            sum[j] = sums[ty + 8 * j][tx];
                        for (uniform int k = 0; k < TILE; k++)
                            for (uniform int j = 0; j < 4; j++)
                                sum[j] += as[ty + 8 * j][k] * bs[k][tx];
                        for (uniform int j = 0; j < 4; j++)
                            sums[ty + 8 * j][tx] = sum[j];
                    }
                }
            }
            for (uniform int ty = 0; ty < TILE; ty++)
                foreach (tx = 0 ... TILE)
                    c[(y + ty) * n + x + tx] = sums[ty][tx];
        }
    }
}
