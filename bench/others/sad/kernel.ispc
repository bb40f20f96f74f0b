#define RANGE 16

export void sad(uniform int width, uniform int blocks, uniform const uint8 frame[],
                uniform const uint8 near[], uniform uint16 sums[])
{
    for (uniform int block = 0; block < blocks; block++) {
        uniform int column = block % width * 4, row = block / width * 4;
        foreach (y = 0 ... RANGE, x = 0 ... RANGE) {
            int sum = 0;
            for (uniform int r = 0; r < 4; r++)
                for (uniform int c = 0; c < 4; c++)
                    sum += abs((int)frame[(row + r) * width * 4 + column + c]
                               - (int)near[(row + r + y) * (width * 4 + RANGE) + column + x + c]);
            sums[(block * RANGE + y) * RANGE + x] = sum;
        }
    }
}
