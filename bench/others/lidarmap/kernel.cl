kernel void lidarmap(uint n, uint w, int x0, int y0, global const int *restrict hit_x,
                     global const int *restrict hit_y, global uint *restrict free_,
                     global uint *restrict full)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    int x1 = hit_x[i], y1 = hit_y[i];
    int dx = x1 > x0 ? x1 - x0 : x0 - x1;
    int dy = y1 > y0 ? y0 - y1 : y1 - y0;
    int step_x = x0 < x1 ? 1 : -1, step_y = y0 < y1 ? 1 : -1;
    int error = dx + dy, x = x0, y = y0;
    while (x != x1 || y != y1) {
        atomic_add(&free_[y * (int)w + x], 1u);
        int twice = 2 * error;
        if (twice >= dy) {
            error += dy;
            x += step_x;
        }
        if (twice <= dx) {
            error += dx;
            y += step_y;
        }
    }
    atomic_add(&full[y * (int)w + x], 1u);
}
