kernel void cascade(uint width, uint nx, uint ny, uint stages, global const uint *restrict sums,
                    global const uint *restrict first, global const uint *restrict boxes,
                    global const int *restrict limits, global uchar *restrict found)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= nx || y >= ny)
        return;
    uint at = y * width + x, stage = 0;
    bool alive = true;
    while (alive && stage < stages) {
        int total = 0;
        for (uint k = first[stage]; k < first[stage + 1]; k++) {
            uint left = boxes[k * 4], top = boxes[k * 4 + 1];
            uint w = boxes[k * 4 + 2], h = boxes[k * 4 + 3];
            uint a = at + top * width + left;
            uint b = a + h * width;
            uint c = b + h * width;
            int upper = (int)(sums[b + w] - sums[b] - sums[a + w] + sums[a]);
            int lower = (int)(sums[c + w] - sums[c] - sums[b + w] + sums[b]);
            total += abs(upper - lower);
        }
        if (total < limits[stage])
            alive = false;
        stage++;
    }
    found[y * nx + x] = alive ? (uchar)1 : (uchar)0;
}
