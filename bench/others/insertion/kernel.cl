kernel void insertion(uint n, global const int *restrict x, global int *restrict y)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    int v[16];
    for (int k = 0; k < 16; k++) {
        int number = x[k * n + i], place = k;
        while (place > 0 && v[place - 1] > number) {
            v[place] = v[place - 1];
            place--;
        }
        v[place] = number;
    }
    for (int k = 0; k < 16; k++)
        y[k * n + i] = v[k];
}
