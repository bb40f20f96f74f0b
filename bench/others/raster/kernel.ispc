export void raster(uniform int triangles, uniform int width, uniform int height,
                   uniform const int corner[], uniform const uint32 depth[],
                   uniform uint32 buffer[])
{
    foreach (i = 0 ... triangles) {
        int ax = corner[6 * i], ay = corner[6 * i + 1], bx = corner[6 * i + 2];
        int by = corner[6 * i + 3], cx = corner[6 * i + 4], cy = corner[6 * i + 5];
        int left = max(min(min(ax, bx), cx), 0), right = min(max(max(ax, bx), cx), width - 1);
        int top = max(min(min(ay, by), cy), 0), bottom = min(max(max(ay, by), cy), height - 1);
        uint32 d = depth[i];
        for (int y = top; y <= bottom; y++)
            for (int x = left; x <= right; x++) {
                if ((bx - ax) * (y - ay) - (by - ay) * (x - ax) < 0)
                    continue;
                if ((cx - bx) * (y - by) - (cy - by) * (x - bx) < 0)
                    continue;
                if ((ax - cx) * (y - cy) - (ay - cy) * (x - cx) < 0)
                    continue;
                atomic_min_global(&buffer[y * width + x], d);
            }
    }
}
