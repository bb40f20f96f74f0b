kernel void kmerge(uint n, global const uint *restrict x, global uint *restrict y)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint heap[8], next[8];
    uint base = i * 128;
    for (uint k = 0; k < 8; k++) {
        uint key = x[base + k * 16] << 3 | k, at = k;
        while (at > 0) {
            uint parent = (at - 1) / 2;
            if (heap[parent] <= key)
                break;
            heap[at] = heap[parent];
            at = parent;
        }
        heap[at] = key;
        next[k] = 1;
    }
    for (uint k = 0; k < 128; k++) {
        uint top = heap[0], list = top & 7, place = next[list];
        y[base + k] = top >> 3;
        uint key = 0xffffffff;
        if (place < 16)
            key = x[base + list * 16 + place] << 3 | list;
        next[list] = place + 1;
        uint at = 0, child = 1;
        while (child < 8) {
            uint least = heap[child];
            if (child < 7 && heap[child + 1] < least) {
                child++;
                least = heap[child];
            }
            if (key <= least)
                break;
            heap[at] = least;
            at = child;
            child = 2 * at + 1;
        }
        heap[at] = key;
    }
}
