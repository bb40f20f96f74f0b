export void bsr(uniform int n, uniform const uint32 start[], uniform const uint32 column[],
                uniform const float number[], uniform const float x[], uniform float y[])
{
    foreach (i = 0 ... n) {
        int row = i / 4, r = i % 4;
        float sum = 0;
        int end = start[row + 1];
        for (int e = start[row]; e < end; e++) {
            int c = column[e];
            for (uniform int k = 0; k < 4; k++)
                sum += number[e * 16 + r * 4 + k] * x[c * 4 + k];
        }
        y[i] = sum;
    }
}
