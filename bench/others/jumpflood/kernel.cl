kernel void jumpflood(uint w, uint h, int step, global const uint *restrict from,
                      global uint *restrict to)
{
    uint x = get_global_id(0);
    uint y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    uint best = 0xffffffff;
    int least = 0x7fffffff;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int cx = (int)x + dx * step, cy = (int)y + dy * step;
            if (cx >= 0 && cx < (int)w && cy >= 0 && cy < (int)h) {
                uint seed = from[cy * (int)w + cx];
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
