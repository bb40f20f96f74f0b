#define SIDE 16

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void cholblock(uniform int n, uniform const float a[], uniform float factor[])
{
    for (uniform int block = 0; block < n; block++) {
        uniform float tile[SIDE][SIDE];
        foreach (y = 0 ... SIDE, x = 0 ... SIDE)
            tile[y][x] = a[(block * SIDE + y) * SIDE + x];
        for (uniform int k = 0; k < SIDE; k++) {
            tile[k][k] = sqrt(tile[k][k]);
            foreach (y = k + 1 ... SIDE)
                tile[y][k] /= tile[k][k];
            foreach (y = k + 1 ... SIDE, x = k + 1 ... SIDE)
                if (y >= x)
                    tile[y][x] -= tile[y][k] * tile[x][k];
        }
        foreach (y = 0 ... SIDE, x = 0 ... SIDE)
            factor[(block * SIDE + y) * SIDE + x] = x > y ? 0.0f : tile[y][x];
    }
}
