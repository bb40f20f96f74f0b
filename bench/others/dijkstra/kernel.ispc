export void dijkstra(uniform int n, uniform const uint32 ends[], uniform const uint32 cost[],
                     uniform const uint32 toll[], uniform const uint32 start[],
                     uniform const uint32 goal[], uniform uint32 way[])
{
    foreach (i = 0 ... n) {
        uint16 known[64];
        uint32 heap[194];
        for (uniform int k = 0; k < 64; k++)
            known[k] = 0xffff;
        uint32 size = 1, tolls = toll[i], end = goal[i], far;
        known[start[i]] = 0;
        heap[0] = start[i];
        while (true) {
            uint32 top = heap[0];
            uint32 node = top & 255;
            far = top >> 8;
            if (node == end)
                break;
            size--;
            uint32 last = heap[size], at = 0, child = 1;
            while (child < size) {
                uint32 least = heap[child];
                if (child + 1 < size) {
                    if (heap[child + 1] < least) {
                        child++;
                        least = heap[child];
                    }
                }
                if (last <= least)
                    break;
                heap[at] = least;
                at = child;
                child = 2 * at + 1;
            }
            heap[at] = last;
            if (far > known[node])
                continue;
            uint32 price = ((tolls >> (node & 31)) & 1) * 20 + far;
            for (uint32 e = node * 3; e < node * 3 + 3; e++) {
                uint32 other = ends[e], length = cost[e] + price;
                if (length < known[other]) {
                    known[other] = (uint16)length;
                    uint32 key = (length << 8) | other, place = size;
                    while (place > 0) {
                        uint32 parent = (place - 1) / 2;
                        uint32 above = heap[parent];
                        if (above <= key)
                            break;
                        heap[place] = above;
                        place = parent;
                    }
                    heap[place] = key;
                    size++;
                }
            }
        }
        way[i] = far;
    }
}
