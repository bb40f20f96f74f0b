kernel void dijkstra(uint n, global const uint *restrict ends, global const uint *restrict cost,
                     global const uint *restrict toll, global const uint *restrict start,
                     global const uint *restrict goal, global uint *restrict way)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    ushort known[64];
    uint heap[194];
    for (uint k = 0; k < 64; k++)
        known[k] = 0xffff;
    uint size = 1, tolls = toll[i], end = goal[i], far;
    known[start[i]] = 0;
    heap[0] = start[i];
    while (true) {
        uint top = heap[0], node = top & 255;
        far = top >> 8;
        if (node == end)
            break;
        size--;
        uint last = heap[size], at = 0, child = 1;
        while (child < size) {
            uint least = heap[child];
            if (child + 1 < size && heap[child + 1] < least) {
                child++;
                least = heap[child];
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
        uint price = (tolls >> (node & 31) & 1) * 20 + far;
        for (uint e = node * 3; e < node * 3 + 3; e++) {
            uint other = ends[e], length = cost[e] + price;
            if (length < known[other]) {
                known[other] = (ushort)length;
                uint key = length << 8 | other, place = size;
                while (place > 0) {
                    uint parent = (place - 1) / 2, above = heap[parent];
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
