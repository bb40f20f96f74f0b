#define LENGTH 64

export void edt(uniform int n, uniform const int f[], uniform int distance[])
{
    foreach (i = 0 ... n) {
        int top[LENGTH], height[LENGTH], k = 0;
        float begin[LENGTH + 1];
        top[0] = 0;
        height[0] = f[i];
        begin[0] = -1e30f;
        for (uniform int q = 1; q < LENGTH; q++) {
            int value = f[q * n + i];
            float meet;
            while (true) {
                int p = top[k];
                meet = (float)(value + q * q - height[k] - p * p) / (float)(2 * (q - p));
                if (meet > begin[k])
                    break;
                k--;
            }
            k++;
            top[k] = q;
            height[k] = value;
            begin[k] = meet;
        }
        begin[k + 1] = 1e30f;
        k = 0;
        for (uniform int q = 0; q < LENGTH; q++) {
            while (begin[k + 1] < (float)q)
                k++;
            distance[q * n + i] = height[k] + (q - top[k]) * (q - top[k]);
        }
    }
}
