static inline uint32 word(uniform const uint32 cells[], int x, uniform int y, uniform int width,
                          uniform int height)
{
    uint32 bits = 0;
    if (x >= 0 && x < width && y >= 0 && y < height)
        bits = cells[y * width + x];
    return bits;
}

export void lifebits(uniform int width, uniform int height, uniform const uint32 cells[],
                     uniform uint32 next[])
{
    for (uniform int y = 0; y < height; y++)
        foreach (x = 0 ... width) {
            uint32 ones = 0, twos = 0, fours = 0, old = 0;
            for (uniform int row = -1; row <= 1; row++) {
                uint32 before = word(cells, x - 1, y + row, width, height);
                uint32 middle = word(cells, x, y + row, width, height);
                uint32 after = word(cells, x + 1, y + row, width, height);
                uint32 left = middle << 1 | before >> 31, right = middle >> 1 | after << 31;
                uint32 centre = middle;
                if (row == 0) {
                    old = middle;
                    centre = 0;
                }
                uint32 sum = left ^ centre ^ right;
                uint32 carry = (left & centre) | (right & (left ^ centre));
                uint32 over = ones & sum;
                ones ^= sum;
                fours |= (twos & carry) | (over & (twos ^ carry));
                twos ^= carry ^ over;
            }
            next[y * width + x] = twos & ~fours & (ones | old);
        }
}
