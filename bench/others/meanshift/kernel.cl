kernel void meanshift(uint n, float limit, global const float *restrict x,
                      global const float *restrict y, global float *restrict px,
                      global float *restrict py)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float ox = px[i], oy = py[i], sx = 0, sy = 0;
    uint count = 0;
    for (uint j = 0; j < n; j++) {
        float dx = x[j] - ox, dy = y[j] - oy;
        if (dx * dx + dy * dy < limit) {
            sx += x[j];
            sy += y[j];
            count++;
        }
    }
    if (count > 0) {
        px[i] = sx / count;
        py[i] = sy / count;
    }
}
