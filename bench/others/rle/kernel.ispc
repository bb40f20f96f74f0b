#define ROW 256

export void rle(uniform int rows, uniform const uint8 x[], uniform uint8 pairs[],
                uniform uint32 count[])
{
    foreach (row = 0 ... rows) {
        int first = row * ROW, runs = 0, length = 1;
        int last = x[first];
        for (uniform int k = 1; k < ROW; k++) {
            int next = x[first + k];
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
}
