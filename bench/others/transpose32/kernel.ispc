#define TILE 32

export void transpose32(uniform int n, uniform const uint32 x[], uniform uint32 y[])
{
    for (uniform int row = 0; row < n; row += TILE) {
        for (uniform int column = 0; column < n; column += TILE) {
            uniform uint32 tile[TILE][TILE + 1];
            for (uniform int ty = 0; ty < TILE; ty++)
                foreach (tx = 0 ... TILE)
                    tile[ty][tx] = x[(row + ty) * n + column + tx];
            for (uniform int ty = 0; ty < TILE; ty++)
                foreach (tx = 0 ... TILE)
                    y[(column + ty) * n + row + tx] = tile[tx][ty];
        }
    }
}
