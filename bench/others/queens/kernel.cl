kernel void queens(uint side, global uint *restrict count)
{
    uint free[16], columns[16], left[16], right[16];
    uint i = get_global_id(0);
    if (i >= side * side)
        return;
    uint one = 1u << i / side, other = 1u << i % side, all = (1u << side) - 1, found = 0;
    if (!(other & (one | one << 1 | one >> 1))) {
        int row = 2;
        columns[2] = one | other;
        left[2] = (one << 1 | other) << 1;
        right[2] = (one >> 1 | other) >> 1;
        free[2] = all & ~(columns[2] | left[2] | right[2]);
        while (row >= 2) {
            if (!free[row]) {
                row--;
                continue;
            }
            uint bit = free[row] & -free[row];
            free[row] ^= bit;
            if (row == side - 1)
                found++;
            else {
                columns[row + 1] = columns[row] | bit;
                left[row + 1] = (left[row] | bit) << 1;
                right[row + 1] = (right[row] | bit) >> 1;
                row++;
                free[row] = all & ~(columns[row] | left[row] | right[row]);
            }
        }
    }
    count[i] = found;
}
