uint word(global const uint *cells, int x, int y, int width, int height)
{
    return x < 0 || x >= width || y < 0 || y >= height ? 0 : cells[y * width + x];
}

kernel void lifebits(uint width, uint height, global const uint *restrict cells,
                     global uint *restrict next)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= (int)width || y >= (int)height)
        return;
    uint ones = 0, twos = 0, fours = 0, old = 0;
    for (int row = -1; row <= 1; row++) {
        uint before = word(cells, x - 1, y + row, width, height);
        uint middle = word(cells, x, y + row, width, height);
        uint after = word(cells, x + 1, y + row, width, height);
        uint left = middle << 1 | before >> 31, right = middle >> 1 | after << 31;
        uint centre = middle;
        if (row == 0) {
            old = middle;
            centre = 0;
        }
        uint sum = left ^ centre ^ right;
        uint carry = (left & centre) | (right & (left ^ centre));
        uint over = ones & sum;
        ones ^= sum;
        fours |= (twos & carry) | (over & (twos ^ carry));
        twos ^= carry ^ over;
    }
    next[y * width + x] = twos & ~fours & (ones | old);
}
