export void backsub(uniform int n, uniform float rate, uniform const uint8 image[],
                    uniform float weight[], uniform float mean[], uniform float variance[],
                    uniform uint8 mask[])
{
    foreach (i = 0 ... n) {
        float p = (float)(uint32)image[i];
        int hit = 3;
        float before = 0.0f;
        for (int m = 0; m < 3; m++) {
            float off = p - mean[m * n + i];
            float spread = variance[m * n + i];
            if (off * off < 6.25f * spread) {
                hit = m;
                break;
            }
            before += weight[m * n + i];
        }
        mask[i] = (uint8)((hit == 3 || before > 0.7f) ? 255 : 0);
        for (int m = 0; m < 3; m++) {
            float w = weight[m * n + i] * (1.0f - rate);
            if (m == hit) {
                w += rate;
                float off = p - mean[m * n + i];
                float share = rate / w;
                mean[m * n + i] += share * off;
                float spread = variance[m * n + i];
                spread += share * (off * off - spread);
                variance[m * n + i] = max(spread, 4.0f);
            }
            weight[m * n + i] = w;
        }
        if (hit == 3) {
            weight[2 * n + i] = rate;
            mean[2 * n + i] = p;
            variance[2 * n + i] = 225.0f;
        } else {
            while (hit > 0) {
                float w = weight[hit * n + i];
                float v = weight[(hit - 1) * n + i];
                if (w <= v)
                    break;
                weight[hit * n + i] = v;
                weight[(hit - 1) * n + i] = w;
                float a = mean[hit * n + i];
                mean[hit * n + i] = mean[(hit - 1) * n + i];
                mean[(hit - 1) * n + i] = a;
                float b = variance[hit * n + i];
                variance[hit * n + i] = variance[(hit - 1) * n + i];
                variance[(hit - 1) * n + i] = b;
                hit--;
            }
        }
    }
}
