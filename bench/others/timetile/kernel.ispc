#define GROUP 256
#define STEPS 4
#define INNER (GROUP - 2 * STEPS)

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void timetile(uniform int n, uniform const float x[], uniform float y[])
{
    for (uniform int first = -STEPS; first + STEPS < n; first += INNER) {
        uniform float tile[2][GROUP];
        foreach (l = 0 ... GROUP) {
            int i = first + l;
            float v = 0;
            if (i >= 0 && i < n)
                v = x[i];
            tile[0][l] = v;
            tile[1][l] = v;
        }
        for (uniform int step = 1; step <= STEPS; step++) {
            uniform int from = (step + 1) & 1;
            foreach (l = step ... GROUP - step) {
                int i = first + l;
                if (i >= 0 && i < n)
                    tile[1 - from][l] =
                        (tile[from][l - 1] + tile[from][l + 1] + 2.0f * tile[from][l]) * 0.25f;
            }
        }
        foreach (l = STEPS ... GROUP - STEPS)
            if (first + l < n)
                y[first + l] = tile[0][l];
    }
}
