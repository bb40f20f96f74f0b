#define LENGTH 64

kernel void edt(uint n, global const int *restrict f, global int *restrict distance_)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    int top[LENGTH], height[LENGTH], k = 0;
    float begin[LENGTH + 1];
    top[0] = 0;
    height[0] = f[i];
    begin[0] = -INFINITY;
    for (int q = 1; q < LENGTH; q++) {
        int value = f[q * n + i];
        float meet;
        while (1) {
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
    begin[k + 1] = INFINITY;
    k = 0;
    for (int q = 0; q < LENGTH; q++) {
        while (begin[k + 1] < (float)q)
            k++;
        distance_[q * n + i] = height[k] + (q - top[k]) * (q - top[k]);
    }
}
