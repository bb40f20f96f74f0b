#define ROW 256

kernel void rle(uint rows, global const uchar *restrict x, global uchar *restrict pairs,
                global uint *restrict count)
{
    uint row = get_global_id(0);
    if (row >= rows)
        return;
    uint first = row * ROW, runs = 0, length = 1, last = x[first];
    for (uint k = 1; k < ROW; k++) {
        uint next = x[first + k];
        if (next != last) {
            pairs[2 * (first + runs)] = length;
            pairs[2 * (first + runs) + 1] = last;
            runs++;
            length = 0;
            last = next;
        }
        length++;
    }
    pairs[2 * (first + runs)] = length;
    pairs[2 * (first + runs) + 1] = last;
    count[row] = runs + 1;
}
