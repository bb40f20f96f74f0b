export void census(uniform int w, uniform int h, uniform int pitch, uniform const uint8 image[],
                   uniform uint32 bits[])
{
    foreach (y = 0 ... h, x = 0 ... w) {
        int here = image[(y + 2) * pitch + x + 2];
        uint32 mask = 0;
        for (uniform int dy = 0; dy < 5; dy++)
            for (uniform int dx = 0; dx < 5; dx++)
                if (dx != 2 || dy != 2) {
                    int other = image[(y + dy) * pitch + x + dx];
                    mask = mask << 1 | (other < here ? 1u : 0u);
                }
        bits[y * w + x] = mask;
    }
}

export void disparity(uniform int w, uniform int h, uniform int most, uniform const uint32 left[],
                      uniform const uint32 right[], uniform uint8 shift[])
{
    foreach (y = 0 ... h, x = 0 ... w) {
        uint32 mine = left[y * w + x], least = 100, best = 0;
        for (uniform uint32 d = 0; d < most; d++) {
            if (d <= (uint32)x) {
                uint32 cost = popcnt((int)(mine ^ right[y * w + x - d]));
                best = cost < least ? d : best;
                least = cost < least ? cost : least;
            }
        }
        shift[y * w + x] = (uint8)best;
    }
}
