kernel void heapsort(uint n, global const float *restrict x, global float *restrict y)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float a[32];
    for (int k = 0; k < 32; k++)
        a[k] = x[k * n + i];
    int start = 16, end = 32;
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
    for (int k = 0; k < 32; k++)
        y[k * n + i] = a[k];
}
