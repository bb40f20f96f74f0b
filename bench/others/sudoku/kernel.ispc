#define EMPTY 9

export void sudoku(uniform int n, uniform const uint8 board[], uniform const uint8 empty[],
                   uniform uint32 ways[])
{
    foreach (i = 0 ... n) {
        uint32 row[4] = {0, 0, 0, 0}, column[4] = {0, 0, 0, 0}, square[4] = {0, 0, 0, 0};
        uint8 digit[EMPTY];
        for (uniform int k = 0; k < 16; k++) {
            uint32 bit = (uint32)1 << board[16 * i + k] >> 1;
            row[k >> 2] |= bit;
            column[k & 3] |= bit;
            square[k >> 3 << 1 | (k & 3) >> 1] |= bit;
        }
        int depth = 0;
        uint32 count = 0;
        digit[0] = 0;
        while (depth >= 0) {
            int k = empty[EMPTY * i + depth];
            int r = k >> 2, c = k & 3, s = k >> 3 << 1 | (k & 3) >> 1;
            uint32 d = digit[depth];
            if (d != 0) {
                uint32 bit = (uint32)1 << d >> 1;
                row[r] ^= bit;
                column[c] ^= bit;
                square[s] ^= bit;
            }
            uint32 used = row[r] | column[c] | square[s];
            do {
                d++;
            } while (d <= 4 && (used << 1 >> d & 1) != 0);
            if (d > 4) {
                depth--;
                continue;
            }
            uint32 bit = (uint32)1 << d >> 1;
            digit[depth] = d;
            row[r] |= bit;
            column[c] |= bit;
            square[s] |= bit;
            if (depth == EMPTY - 1)
                count++;
            else {
                depth++;
                digit[depth] = 0;
            }
        }
        ways[i] = count;
    }
}
