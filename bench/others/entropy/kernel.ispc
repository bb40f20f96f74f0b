export void entropy(uniform int width, uniform int height, uniform const uint8 value[],
                    uniform float entropy[])
{
    foreach (y = 0 ... height, x = 0 ... width) {
        uint8 count[16];
        for (uniform int k = 0; k < 16; k++)
            count[k] = 0;
        int total = 0;
        for (uniform int dy = -2; dy <= 2; dy++) {
            for (uniform int dx = -2; dx <= 2; dx++) {
                int u = x + dx, v = y + dy;
                if (u >= 0 && v >= 0 && u < width && v < height) {
                    count[value[v * width + u]]++;
                    total++;
                }
            }
        }
        float sum = 0.0f;
        for (uniform int k = 0; k < 16; k++) {
            if (count[k] != 0) {
                float share = (float)count[k] / total;
                sum -= share * log(share) * 1.44269504088896f;
            }
        }
        entropy[y * width + x] = sum;
    }
}
