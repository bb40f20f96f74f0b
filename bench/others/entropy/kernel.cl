kernel void entropy(uint width, uint height, global const uchar *restrict value,
                    global float *restrict entropy)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= (int)width || y >= (int)height)
        return;
    uchar count[16];
    for (int k = 0; k < 16; k++)
        count[k] = 0;
    int total = 0;
    for (int dy = -2; dy <= 2; dy++) {
        for (int dx = -2; dx <= 2; dx++) {
            int u = x + dx, v = y + dy;
            if (u >= 0 && v >= 0 && u < (int)width && v < (int)height) {
                count[value[v * width + u]]++;
                total++;
            }
        }
    }
    float sum = 0.0f;
    for (int k = 0; k < 16; k++) {
        if (count[k]) {
            float share = (float)count[k] / total;
            sum -= share * log2(share);
        }
    }
    entropy[y * width + x] = sum;
}
