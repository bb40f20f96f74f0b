#define GROUP 256
#define ROWS 8

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void pathfinder(uniform int columns, uniform int first, uniform const int wall[],
                       uniform const int from[], uniform int to[])
{
    uniform int inner = GROUP - 2 * ROWS;
    for (uniform int base = 0; base < columns; base += inner) {
        uniform int before[GROUP], after[GROUP];
        foreach (l = 0 ... GROUP) {
            int x = base + l - ROWS;
            before[l] = 0;
            if (x >= 0 && x < columns)
                before[l] = from[x];
        }
        for (uniform int r = 0; r < ROWS; r++) {
            foreach (l = r + 1 ... GROUP - 1 - r) {
                int x = base + l - ROWS;
                if (x >= 0 && x < columns) {
                    int least = before[l];
                    if (x > 0)
                        least = min(least, before[l - 1]);
                    if (x < columns - 1)
                        least = min(least, before[l + 1]);
                    after[l] = least + wall[(first + r) * columns + x];
                }
            }
            foreach (l = r + 1 ... GROUP - 1 - r)
                before[l] = after[l];
        }
        foreach (l = ROWS ... GROUP - ROWS) {
            int x = base + l - ROWS;
            if (x < columns)
                to[x] = before[l];
        }
    }
}
