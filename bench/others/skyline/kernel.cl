kernel void skyline(uint n, global const float *restrict a, global const float *restrict b,
                    global const float *restrict c, global const float *restrict d,
                    global uchar *restrict best)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float ai = a[i], bi = b[i], ci = c[i], di = d[i];
    int good = 1;
    for (uint j = 0; j < n; j++) {
        if (a[j] <= ai && b[j] <= bi && c[j] <= ci && d[j] <= di) {
            if (a[j] < ai || b[j] < bi || c[j] < ci || d[j] < di) {
                good = 0;
                break;
            }
        }
    }
    best[i] = (uchar)good;
}
