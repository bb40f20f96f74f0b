#define GROUP 256

/* A workgroup's work-items are a foreach; a barrier is its end. */
export void pathfinder(uniform int steps, uniform int cols, uniform int first, uniform int border,
                       uniform const int wall[], uniform const int source[], uniform int target[])
{
    uniform int width = GROUP - 2 * border;
    for (uniform int start = -border; start + border < cols; start += width) {
        uniform int before[GROUP], after[GROUP];
        uniform int low = max(-start, 0);
        uniform int high = GROUP - 1 - max(start + GROUP - cols, 0);
        foreach (tx = low ... high + 1)
            before[tx] = source[start + tx];
        uniform int begin = low, end = high;
        for (uniform int i = 0; i < steps; i++) {
            begin = max(low, i + 1);
            end = min(high, GROUP - 2 - i);
            foreach (tx = begin ... end + 1) {
                int west = max(tx - 1, low), east = min(tx + 1, high);
                after[tx] = min(min(before[west], before[tx]), before[east])
                            + wall[(first + i) * cols + start + tx];
            }
            foreach (tx = begin ... end + 1)
                before[tx] = after[tx];
        }
        foreach (tx = begin ... end + 1)
            target[start + tx] = after[tx];
    }
}
