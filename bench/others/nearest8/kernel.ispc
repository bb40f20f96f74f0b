export void nearest8(uniform int n, uniform int points, uniform const float qx[],
                     uniform const float qy[], uniform const float px[], uniform const float py[],
                     uniform uint32 nearest[])
{
    foreach (i = 0 ... n) {
        float best[8];
        uint32 which[8];
        for (uniform int k = 0; k < 8; k++) {
            best[k] = floatbits(0x7f800000);
            which[k] = 0;
        }
        float x = qx[i], y = qy[i];
        for (uniform int p = 0; p < points; p++) {
            float dx = x - px[p], dy = y - py[p];
            float d = dx * dx + dy * dy;
            if (d < best[7]) {
                int k = 7;
                while (k > 0 && best[k - 1] > d) {
                    best[k] = best[k - 1];
                    which[k] = which[k - 1];
                    k--;
                }
                best[k] = d;
                which[k] = p;
            }
        }
        for (uniform int k = 0; k < 8; k++)
            nearest[k * n + i] = which[k];
    }
}
