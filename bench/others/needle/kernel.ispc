#define TILE 16
#define PENALTY 10

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void needle(uniform int columns, uniform int diagonal, uniform int first,
                   uniform int count, uniform const int reference[], uniform int items[])
{
    for (uniform int across = first; across < first + count; across++) {
        uniform int score[TILE + 1][TILE + 1], match[TILE][TILE];
        uniform int x = across * TILE, y = (diagonal - across) * TILE;
        score[0][0] = items[y * columns + x];
        foreach (l = 0 ... TILE) {
            score[l + 1][0] = items[(y + l + 1) * columns + x];
            score[0][l + 1] = items[y * columns + x + l + 1];
            for (uniform int k = 0; k < TILE; k++)
                match[k][l] = reference[(y + k + 1) * columns + x + l + 1];
        }
        for (uniform int step = 0; step < 2 * TILE - 1; step++)
            foreach (l = 0 ... TILE) {
                int k = step - l;
                if (k >= 0 && k < TILE) {
                    int gap = max(score[k][l + 1], score[k + 1][l]) - PENALTY;
                    score[k + 1][l + 1] = max(score[k][l] + match[k][l], gap);
                }
            }
        foreach (l = 0 ... TILE)
            for (uniform int k = 0; k < TILE; k++)
                items[(y + k + 1) * columns + x + l + 1] = score[k + 1][l + 1];
    }
}
