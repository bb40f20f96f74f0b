export void queens(uniform int side, uniform uint32 count[])
{
    foreach (i = 0 ... side * side) {
        uint32 free[16], columns[16], left[16], right[16];
        uint32 one = 1u << (i / side), other = 1u << (i % side), found = 0;
        uniform uint32 all_columns = (1u << side) - 1;
        if (!(other & (one | one << 1 | one >> 1))) {
            int row = 2;
            columns[2] = one | other;
            left[2] = (one << 1 | other) << 1;
            right[2] = (one >> 1 | other) >> 1;
            free[2] = all_columns & ~(columns[2] | left[2] | right[2]);
            while (row >= 2) {
                if (!free[row]) {
                    row--;
                    continue;
                }
                uint32 bit = free[row] & -free[row];
                free[row] ^= bit;
                if (row == side - 1)
                    found++;
                else {
                    columns[row + 1] = columns[row] | bit;
                    left[row + 1] = (left[row] | bit) << 1;
                    right[row + 1] = (right[row] | bit) >> 1;
                    row++;
                    free[row] = all_columns & ~(columns[row] | left[row] | right[row]);
                }
            }
        }
        count[i] = found;
    }
}
