#define WALL 16

kernel void latgas(uint width, uint height, global const ushort *restrict from,
                   global ushort *restrict to)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    uint left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
    uint up = y == 0 ? height - 1 : y - 1, down = y == height - 1 ? 0 : y + 1;
    ushort got = (from[y * width + left] & 1) | (from[y * width + right] & 2)
               | (from[up * width + x] & 4) | (from[down * width + x] & 8);
    if (from[y * width + x] & WALL)
        got = (got & 5) << 1 | (got & 10) >> 1 | WALL;
    else if (got == 3 || got == 12)
        got ^= 15;
    to[y * width + x] = got;
}
