export void insertion(uniform int n, uniform const int x[], uniform int y[])
{
    foreach (i = 0 ... n) {
        int v[16];
        for (uniform int k = 0; k < 16; k++) {
            int number = x[k * n + i], place = k;
            while (place > 0 && v[place - 1] > number) {
                v[place] = v[place - 1];
                place--;
            }
            v[place] = number;
        }
        for (uniform int k = 0; k < 16; k++)
            y[k * n + i] = v[k];
    }
}
