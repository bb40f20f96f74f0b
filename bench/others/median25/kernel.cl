kernel void median25(uint width, uint height, global const float *restrict x,
                     global float *restrict y)
{
    int column = get_global_id(0), row = get_global_id(1);
    if (column < 2 || column >= width - 2 || row < 2 || row >= height - 2)
        return;
    float v[25];
    for (int r = 0; r < 5; r++)
        for (int c = 0; c < 5; c++)
            v[r * 5 + c] = x[(row + r - 2) * width + column + c - 2];
    for (int k = 0; k <= 12; k++)
        for (int j = k + 1; j < 25; j++) {
            float low = fmin(v[k], v[j]), high = fmax(v[k], v[j]);
            v[k] = low;
            v[j] = high;
        }
    y[row * width + column] = v[12];
}
