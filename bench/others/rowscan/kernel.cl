kernel void rowscan(int size, global const float *restrict image, global float *restrict sums)
{
    int y = get_global_id(0);
    if (y >= size)
        return;
    float sum = 0.0f;
    for (int x = 0; x < size; x++) {
        sum += image[y * size + x];
        sums[y * size + x] = sum;
    }
}
