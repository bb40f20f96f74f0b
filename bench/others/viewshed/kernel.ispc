export void viewshed(uniform int w, uniform int h, uniform int32 ex, uniform int32 ey,
                     uniform float eye, uniform const float height[], uniform uint8 seen[])
{
    foreach (y = 0 ... h, x = 0 ... w) {
        int dx = (int)x - ex, dy = (int)y - ey;
        int ax = dx < 0 ? -dx : dx, ay = dy < 0 ? -dy : dy;
        int steps = max(ax, ay);
        float slope = -1000000.0f, far = (float)steps;
        int clear = 1;
        float last = steps > 0 ? (height[y * w + x] - eye) / far : 0.0f;
        for (int k = 1; k < steps; k++) {
            float along = (float)k / far;
            int px = ex + (int)round((float)dx * along), py = ey + (int)round((float)dy * along);
            float rise = (height[py * (int)w + px] - eye) / (float)k;
            if (rise > last) {
                clear = 0;
                break;
            }
        }
        seen[y * w + x] = (uint8)clear;
    }
}
