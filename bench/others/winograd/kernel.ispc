export void winograd(uniform int wide, uniform int high, uniform int channels,
                     uniform const float image[], uniform float planes[])
{
    uniform int row = 2 * wide + 2, plane = channels * high * wide;
    for (uniform int c = 0; c < channels; c++)
        for (uniform int y = 0; y < high; y++) {
            foreach (x = 0 ... wide) {
                int from = (c * (2 * high + 2) + 2 * y) * row + 2 * x;
                float d[4][4], t[4][4];
                for (uniform int j = 0; j < 4; j++)
                    for (uniform int i = 0; i < 4; i++)
                        d[j][i] = image[from + j * row + i];
                for (uniform int i = 0; i < 4; i++) {
                    t[0][i] = d[0][i] - d[2][i];
                    t[1][i] = d[1][i] + d[2][i];
                    t[2][i] = d[2][i] - d[1][i];
                    t[3][i] = d[1][i] - d[3][i];
                }
                int to = (c * high + y) * wide + x;
                for (uniform int j = 0; j < 4; j++) {
                    planes[to + (4 * j) * plane] = t[j][0] - t[j][2];
                    planes[to + (4 * j + 1) * plane] = t[j][1] + t[j][2];
                    planes[to + (4 * j + 2) * plane] = t[j][2] - t[j][1];
                    planes[to + (4 * j + 3) * plane] = t[j][1] - t[j][3];
                }
            }
        }
}
