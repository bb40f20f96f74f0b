export void median25(uniform int width, uniform int height, uniform const float x[],
                     uniform float y[])
{
    foreach (row = 2 ... height - 2, column = 2 ... width - 2) {
        float v[25];
        for (uniform int r = 0; r < 5; r++)
            for (uniform int c = 0; c < 5; c++)
                v[r * 5 + c] = x[(row + r - 2) * width + column + c - 2];
        for (uniform int k = 0; k <= 12; k++)
            for (uniform int j = k + 1; j < 25; j++) {
                float low = min(v[k], v[j]), high = max(v[k], v[j]);
                v[k] = low;
                v[j] = high;
            }
        y[row * width + column] = v[12];
    }
}
