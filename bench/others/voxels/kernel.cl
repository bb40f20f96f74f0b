kernel void voxels(uint width, uint height, uint side, global const uchar *restrict grid,
                   global uint *restrict steps)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float dx = (x + 0.5f) / width - 0.5f, dy = (y + 0.5f) / height - 0.5f;
    int sx = dx < 0 ? -1 : 1, sy = dy < 0 ? -1 : 1, s = side;
    float ddx = 1.0f / fabs(dx), ddy = 1.0f / fabs(dy);
    float tx = ddx * 0.5f, ty = ddy * 0.5f, tz = 0.5f;
    int px = s / 2, py = s / 2, pz = 0;
    uint count = 0;
    for (;;) {
        if (tx < ty && tx < tz) {
            px += sx;
            tx += ddx;
            if (px < 0 || px >= s)
                break;
        } else if (!(tx < ty) && ty < tz) {
            py += sy;
            ty += ddy;
            if (py < 0 || py >= s)
                break;
        } else {
            pz += 1;
            tz += 1.0f;
            if (pz >= s)
                break;
        }
        count++;
        if (grid[(pz * s + py) * s + px])
            break;
    }
    steps[y * width + x] = count;
}
