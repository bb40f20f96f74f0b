export void voxels(uniform int width, uniform int height, uniform int side,
                   uniform const uint8 grid[], uniform uint32 steps[])
{
    foreach (y = 0 ... height, x = 0 ... width) {
        float dx = (x + 0.5f) / width - 0.5f, dy = (y + 0.5f) / height - 0.5f;
        int sx = dx < 0 ? -1 : 1, sy = dy < 0 ? -1 : 1;
        float ddx = 1.0f / abs(dx), ddy = 1.0f / abs(dy);
        float tx = ddx * 0.5f, ty = ddy * 0.5f, tz = 0.5f;
        int px = side / 2, py = side / 2, pz = 0;
        uint32 count = 0;
        while (true) {
            if (tx < ty && tx < tz) {
                px += sx;
                tx += ddx;
                if (px < 0 || px >= side)
                    break;
            } else if (!(tx < ty) && ty < tz) {
                py += sy;
                ty += ddy;
                if (py < 0 || py >= side)
                    break;
            } else {
                pz += 1;
                tz += 1.0f;
                if (pz >= side)
                    break;
            }
            count++;
            if (grid[(pz * side + py) * side + px])
                break;
        }
        steps[y * width + x] = count;
    }
}
