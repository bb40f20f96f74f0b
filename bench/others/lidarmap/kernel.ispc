export void lidarmap(uniform int n, uniform int w, uniform int32 x0, uniform int32 y0,
                     uniform const int32 hit_x[], uniform const int32 hit_y[],
                     uniform uint32 free_[], uniform uint32 full[])
{
    foreach (i = 0 ... n) {
        int x1 = hit_x[i], y1 = hit_y[i];
        int dx = x1 > x0 ? x1 - x0 : x0 - x1;
        int dy = y1 > y0 ? y0 - y1 : y1 - y0;
        int step_x = x0 < x1 ? 1 : -1, step_y = y0 < y1 ? 1 : -1;
        int error = dx + dy, x = x0, y = y0;
        while (x != x1 || y != y1) {
            atomic_add_global(&free_[y * (int)w + x], 1u);
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
        atomic_add_global(&full[y * (int)w + x], 1u);
    }
}
