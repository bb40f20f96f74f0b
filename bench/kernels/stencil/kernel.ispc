#define GROUP 256
#define HALO 8

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void stencil(uniform int n, uniform const float weight[], uniform const float x[],
                    uniform float y[])
{
    for (uniform int first = 0; first < n; first += GROUP) {
        uniform float tile[GROUP + HALO];
        foreach (local = 0 ... GROUP + HALO)
            tile[local] = x[first + local];
        foreach (local = 0 ... GROUP) {
            float sum = 0.0f;
            for (uniform int k = 0; k <= HALO; k++)
                sum += weight[k] * tile[local + k];
            y[first + local] = sum;
        }
    }
}
