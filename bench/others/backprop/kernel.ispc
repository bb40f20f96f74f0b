#define SIDE 16

/* Without a tree: each of 16 lanes sums up a column. */
export void backprop(uniform int n, uniform const float x[],
                     uniform float weight[], uniform float partial[])
{
    for (uniform int first = 0; first < n; first += SIDE) {
        foreach (j = 0 ... SIDE) {
            float sum = 0.0f;
            for (uniform int i = first; i < first + SIDE; i++) {
                float value = weight[i * SIDE + j] * x[i];
                weight[i * SIDE + j] = value;
                sum += value;
            }
            partial[first + j] = sum;
        }
    }
}
