#define RANGE 16

kernel void sad(uint width, uint blocks, global const uchar *restrict frame, global const uchar *restrict near,
                global ushort *restrict sums)
{
    uint x = get_global_id(0), y = get_global_id(1), block = get_global_id(2);
    uint column = block % width * 4, row = block / width * 4;
    uint sum = 0;
    for (uint r = 0; r < 4; r++)
        for (uint c = 0; c < 4; c++)
            sum += abs((int)frame[(row + r) * width * 4 + column + c]
                       - (int)near[(row + r + y) * (width * 4 + RANGE) + column + x + c]);
    sums[(block * RANGE + y) * RANGE + x] = sum;
}
