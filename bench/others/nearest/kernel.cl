kernel void nearest(uint n, uint points, global const float *restrict x,
                    global const float *restrict y, global const float *restrict qx,
                    global const float *restrict qy, global uint *restrict nearest)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    float least = INFINITY;
    uint found = 0;
    for (uint j = 0; j < points; j++) {
        float dx = qx[i] - x[j], dy = qy[i] - y[j];
        float square = dx * dx + dy * dy;
        if (square < least) {
            least = square;
            found = j;
        }
    }
    nearest[i] = found;
}
