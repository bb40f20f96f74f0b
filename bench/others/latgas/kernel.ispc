#define WALL 16

export void latgas(uniform int width, uniform int height, uniform const uint16 from[],
                   uniform uint16 to[])
{
    foreach (y = 0 ... height, x = 0 ... width) {
        int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
        int up = y == 0 ? height - 1 : y - 1, down = y == height - 1 ? 0 : y + 1;
        uint16 got = (from[y * width + left] & 1) | (from[y * width + right] & 2)
                   | (from[up * width + x] & 4) | (from[down * width + x] & 8);
        if ((from[y * width + x] & WALL) != 0)
            got = ((got & 5) << 1) | ((got & 10) >> 1) | WALL;
        else if (got == 3 || got == 12)
            got ^= 15;
        to[y * width + x] = got;
    }
}
