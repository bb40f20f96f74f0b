kernel void nearest8(uint n, uint points, global const float *restrict qx,
                     global const float *restrict qy, global const float *restrict px,
                     global const float *restrict py, global uint *restrict nearest)
{
    float best[8];
    uint which[8];
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    for (int k = 0; k < 8; k++) {
        best[k] = INFINITY;
        which[k] = 0;
    }
    float x = qx[i], y = qy[i];
    for (uint p = 0; p < points; p++) {
        float dx = x - px[p], dy = y - py[p];
        float d = dx * dx + dy * dy;
        if (d < best[7]) {
            int k = 7;
            while (k > 0 && best[k - 1] > d) {
                best[k] = best[k - 1];
                which[k] = which[k - 1];
                k--;
            }
            best[k] = d;
            which[k] = p;
        }
    }
    for (int k = 0; k < 8; k++)
        nearest[k * n + i] = which[k];
}
