kernel void raster(uint triangles, uint width, uint height, global const int *restrict corner,
                   global const uint *restrict depth, global uint *restrict buffer)
{
    uint i = get_global_id(0);
    if (i >= triangles)
        return;
    int ax = corner[6 * i], ay = corner[6 * i + 1], bx = corner[6 * i + 2], by = corner[6 * i + 3];
    int cx = corner[6 * i + 4], cy = corner[6 * i + 5];
    int left = max(min(min(ax, bx), cx), 0), right = min(max(max(ax, bx), cx), (int)width - 1);
    int top = max(min(min(ay, by), cy), 0), bottom = min(max(max(ay, by), cy), (int)height - 1);
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++) {
            if ((bx - ax) * (y - ay) - (by - ay) * (x - ax) < 0)
                continue;
            if ((cx - bx) * (y - by) - (cy - by) * (x - bx) < 0)
                continue;
            if ((ax - cx) * (y - cy) - (ay - cy) * (x - cx) < 0)
                continue;
            atomic_min(&buffer[y * width + x], depth[i]);
        }
}
