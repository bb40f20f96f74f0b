kernel void viewshed(uint w, uint h, int ex, int ey, float eye, global const float *restrict height,
                     global uchar *restrict seen)
{
    uint x = get_global_id(0);
    uint y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    int dx = (int)x - ex, dy = (int)y - ey;
    int ax = dx < 0 ? -dx : dx, ay = dy < 0 ? -dy : dy;
    int steps = max(ax, ay);
    float slope = -1000000.0f, far = (float)steps;
    int clear = 1;
    float last = steps > 0 ? (height[y * w + x] - eye) / far : 0.0f;
    for (int k = 1; k < steps; k++) {
        float along = (float)k / far;
        int px = ex + (int)rint((float)dx * along), py = ey + (int)rint((float)dy * along);
        float rise = (height[py * (int)w + px] - eye) / (float)k;
        if (rise > last) {
            clear = 0;
            break;
        }
    }
    seen[y * w + x] = (uchar)clear;
}
