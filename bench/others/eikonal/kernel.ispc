/* A tile at a time: a barrier is the end of a foreach. */
export void eikonal(uniform int width, uniform int height, uniform int rounds,
                    uniform const float slow[], uniform const float before[],
                    uniform float after[])
{
    uniform int row = width + 2;
    for (uniform int ty = 0; ty < height; ty += 16) {
        for (uniform int tx = 0; tx < width; tx += 16) {
            uniform float time[18][18], settled[16][16];
            foreach (y = 0 ... 18, x = 0 ... 18)
                time[y][x] = before[(ty + y) * row + tx + x];
            for (uniform int round = 0; round < rounds; round++) {
                int moved = 0;
                foreach (y = 0 ... 16, x = 0 ... 16) {
                    float f = slow[(ty + y) * width + tx + x];
                    float now = time[y + 1][x + 1];
                    float a = min(time[y + 1][x], time[y + 1][x + 2]);
                    float b = min(time[y][x + 1], time[y + 2][x + 1]);
                    float off = abs(a - b);
                    float next = min(a, b) + f;
                    if (off < f)
                        next = 0.5f * (a + b + sqrt(2.0f * f * f - off * off));
                    if (next < now) {
                        now = next;
                        moved = 1;
                    }
                    settled[y][x] = now;
                }
                foreach (y = 0 ... 16, x = 0 ... 16)
                    time[y + 1][x + 1] = settled[y][x];
                if (!any(moved != 0))
                    break;
            }
            foreach (y = 0 ... 16, x = 0 ... 16)
                after[(ty + y + 1) * row + tx + x + 1] = time[y + 1][x + 1];
        }
    }
}
