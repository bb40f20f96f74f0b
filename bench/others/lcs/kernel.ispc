#define LENGTH 64

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void lcs(uniform int pairs, uniform const uint8 a[], uniform const uint8 b[],
                uniform uint32 length[])
{
    for (uniform int pair = 0; pair < pairs; pair++) {
        uniform uint32 cells[3][LENGTH + 1];
        for (uniform int k = 0; k < 3; k++) {
            foreach (i = 0 ... LENGTH + 1)
                cells[k][i] = 0;
        }
        uniform int now = 0, last = 1, before = 2;
        for (uniform int d = 0; d < 2 * LENGTH - 1; d++) {
            foreach (i = 0 ... LENGTH) {
                int j = d - i;
                if (j >= 0 && j < LENGTH) {
                    uint32 cell;
                    if (a[pair * LENGTH + i] == b[pair * LENGTH + j])
                        cell = cells[before][i] + 1;
                    else
                        cell = max(cells[last][i], cells[last][i + 1]);
                    cells[now][i + 1] = cell;
                }
            }
            uniform int unused = before;
            before = last;
            last = now;
            now = unused;
        }
        length[pair] = cells[last][LENGTH];
    }
}
