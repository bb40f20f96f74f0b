export void heapsort(uniform int n, uniform const float x[], uniform float y[])
{
    foreach (i = 0 ... n) {
        float a[32];
        for (uniform int k = 0; k < 32; k++)
            a[k] = x[k * n + i];
        uniform int start = 16, end = 32;
        while (end > 1) {
            float moved;
            if (start > 0) {
                start--;
                moved = a[start];
            } else {
                end--;
                moved = a[end];
                a[end] = a[0];
            }
            int root = start;
            while (2 * root + 1 < end) {
                int child = 2 * root + 1;
                if (child + 1 < end && a[child] < a[child + 1])
                    child++;
                if (moved >= a[child])
                    break;
                a[root] = a[child];
                root = child;
            }
            a[root] = moved;
        }
        for (uniform int k = 0; k < 32; k++)
            y[k * n + i] = a[k];
    }
}
