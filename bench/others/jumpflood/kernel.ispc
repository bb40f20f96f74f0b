export void jumpflood(uniform int w, uniform int h, uniform int32 step, uniform const uint32 from[],
                      uniform uint32 to[])
{
    foreach (y = 0 ... h, x = 0 ... w) {
        uint32 best = 0xffffffff;
        int least = 0x7fffffff;
        for (uniform int dy = -1; dy <= 1; dy++) {
            for (uniform int dx = -1; dx <= 1; dx++) {
                int cx = (int)x + dx * step, cy = (int)y + dy * step;
                if (cx >= 0 && cx < (int)w && cy >= 0 && cy < (int)h) {
                    uint32 seed = from[cy * (int)w + cx];
                    if (seed != 0xffffffff) {
                        int sx = (int)(seed & 0xffff) - (int)x, sy = (int)(seed >> 16) - (int)y;
                        int distance = sx * sx + sy * sy;
                        if (distance < least) {
                            least = distance;
                            best = seed;
                        }
                    }
                }
            }
        }
        to[y * w + x] = best;
    }
}
