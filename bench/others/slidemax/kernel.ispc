#define WINDOW 32

export void slidemax(uniform int n, uniform const int x[], uniform int y[])
{
    foreach (i = 0 ... n) {
        int largest = x[i];
        for (uniform int k = 1; k < WINDOW; k++)
            largest = max(largest, x[i + k]);
        y[i] = largest;
    }
}
