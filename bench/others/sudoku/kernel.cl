#define EMPTY 9

kernel void sudoku(uint n, global const uchar *restrict board, global const uchar *restrict empty,
                   global uint *restrict ways)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    uint row[4] = {0, 0, 0, 0}, column[4] = {0, 0, 0, 0}, square[4] = {0, 0, 0, 0};
    uchar digit[EMPTY];
    for (int k = 0; k < 16; k++) {
        uint bit = 1u << board[16 * i + k] >> 1;
        row[k >> 2] |= bit;
        column[k & 3] |= bit;
        square[k >> 3 << 1 | (k & 3) >> 1] |= bit;
    }
    int depth = 0;
    uint count = 0;
    digit[0] = 0;
    while (depth >= 0) {
        uint k = empty[EMPTY * i + depth];
        uint r = k >> 2, c = k & 3, s = k >> 3 << 1 | (k & 3) >> 1, d = digit[depth];
        if (d) {
            uint bit = 1u << d >> 1;
            row[r] ^= bit;
            column[c] ^= bit;
            square[s] ^= bit;
        }
        uint used = row[r] | column[c] | square[s];
        do
            d++;
        while (d <= 4 && (used << 1 >> d & 1));
        if (d > 4) {
            depth--;
            continue;
        }
        uint bit = 1u << d >> 1;
        digit[depth] = d;
        row[r] |= bit;
        column[c] |= bit;
        square[s] |= bit;
        if (depth == EMPTY - 1)
            count++;
        else
            digit[++depth] = 0;
    }
    ways[i] = count;
}
