export void kmerge(uniform int n, uniform const uint32 x[], uniform uint32 y[])
{
    foreach (i = 0 ... n) {
        uint32 heap[8], next[8];
        uint32 base = i * 128;
        for (uniform int k = 0; k < 8; k++) {
            uint32 key = (x[base + k * 16] << 3) | k, at = k;
            while (at > 0) {
                uint32 parent = (at - 1) / 2;
                if (heap[parent] <= key)
                    break;
                heap[at] = heap[parent];
                at = parent;
            }
            heap[at] = key;
            next[k] = 1;
        }
        for (uniform int k = 0; k < 128; k++) {
            uint32 top = heap[0];
            uint32 list = top & 7;
            uint32 place = next[list];
            y[base + k] = top >> 3;
            uint32 key = 0xffffffff;
            if (place < 16)
                key = (x[base + list * 16 + place] << 3) | list;
            next[list] = place + 1;
            uint32 at = 0, child = 1;
            while (child < 8) {
                uint32 least = heap[child];
                if (child < 7) {
                    if (heap[child + 1] < least) {
                        child++;
                        least = heap[child];
                    }
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
}
