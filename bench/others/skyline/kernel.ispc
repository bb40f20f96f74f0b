export void skyline(uniform int n, uniform const float a[], uniform const float b[],
                    uniform const float c[], uniform const float d[], uniform uint8 best[])
{
    foreach (i = 0 ... n) {
        float ai = a[i], bi = b[i], ci = c[i], di = d[i];
        int good = 1;
        for (uniform int j = 0; j < n; j++) {
            if (a[j] <= ai && b[j] <= bi && c[j] <= ci && d[j] <= di) {
                if (a[j] < ai || b[j] < bi || c[j] < ci || d[j] < di) {
                    good = 0;
                    break;
                }
            }
        }
        best[i] = (uint8)good;
    }
}
