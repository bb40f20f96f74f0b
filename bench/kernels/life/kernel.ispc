export void life(uniform int n, uniform const uint8 cells[], uniform uint8 next[])
{
    uniform int row = n + 2;
    for (uniform int y = 0; y < n; y++) {
        uniform int above = y * row;
        uniform int here = above + row;
        uniform int below = here + row;
        foreach (x = 0 ... n) {
            unsigned int around = cells[above + x] + cells[above + x + 1] + cells[above + x + 2]
                                  + cells[here + x] + cells[here + x + 2] + cells[below + x]
                                  + cells[below + x + 1] + cells[below + x + 2];
            next[here + x + 1] = (around | cells[here + x + 1]) == 3 ? 1 : 0;
        }
    }
}
