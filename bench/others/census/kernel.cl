kernel void census(uint w, uint h, uint pitch, global const uchar *restrict image,
                   global uint *restrict bits)
{
    uint x = get_global_id(0);
    uint y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    int here = image[(y + 2) * pitch + x + 2];
    uint mask = 0;
    for (uint dy = 0; dy < 5; dy++)
        for (uint dx = 0; dx < 5; dx++)
            if (dx != 2 || dy != 2) {
                int other = image[(y + dy) * pitch + x + dx];
                mask = mask << 1 | (other < here ? 1u : 0u);
            }
    bits[y * w + x] = mask;
}

kernel void disparity(uint w, uint h, uint most, global const uint *restrict left,
                      global const uint *restrict right, global uchar *restrict shift)
{
    uint x = get_global_id(0);
    uint y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    uint mine = left[y * w + x], least = 100, best = 0;
    for (uint d = 0; d < most; d++) {
        if (d <= (uint)x) {
            uint cost = popcount((int)(mine ^ right[y * w + x - d]));
            best = cost < least ? d : best;
            least = cost < least ? cost : least;
        }
    }
    shift[y * w + x] = (uchar)best;
}
