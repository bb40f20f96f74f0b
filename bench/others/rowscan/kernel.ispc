export void rowscan(uniform int size, uniform const float image[], uniform float sums[])
{
    foreach (y = 0 ... size) {
        float sum = 0.0f;
        for (uniform int x = 0; x < size; x++) {
            sum += image[y * size + x];
            sums[y * size + x] = sum;
        }
    }
}
