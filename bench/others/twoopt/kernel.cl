kernel void twoopt(uint rounds, global const float *restrict town, global uchar *restrict tour,
                   uint tours)
{
    local float x[64];
    local float y[64];
    local uint order[64];
    local float gain[64];
    local uint from[64];
    local uint to[64];
    uint l = get_local_id(0), first = get_group_id(0) * 64;
    x[l] = town[(first + l) * 2];
    y[l] = town[(first + l) * 2 + 1];
    order[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint round = 0; round < rounds; round++) {
        uint a = order[l], b = order[(l + 1) & 63];
        float ax = x[a], ay = y[a], bx = x[b], by = y[b];
        float ab = sqrt((ax - bx) * (ax - bx) + (ay - by) * (ay - by));
        float best = 0.0f;
        uint other = 0;
        for (uint j = l + 2; j < 63; j++) {
            uint c = order[j], d = order[j + 1];
            float cx = x[c], cy = y[c], dx = x[d], dy = y[d];
            float cd = sqrt((cx - dx) * (cx - dx) + (cy - dy) * (cy - dy));
            float ac = sqrt((ax - cx) * (ax - cx) + (ay - cy) * (ay - cy));
            float bd = sqrt((bx - dx) * (bx - dx) + (by - dy) * (by - dy));
            float less = ab + cd - ac - bd;
            if (less > best) {
                best = less;
                other = j;
            }
        }
        gain[l] = best;
        from[l] = l;
        to[l] = other;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint far = 32; far > 0; far = far / 2) {
            if (l < far) {
                if (gain[l + far] > gain[l]) {
                    gain[l] = gain[l + far];
                    from[l] = from[l + far];
                    to[l] = to[l + far];
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        uint low = from[0] + 1, high = to[0], moved = order[l];
        if (gain[0] > 0.0001f && l >= low && l <= high)
            moved = order[low + high - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        order[l] = moved;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    tour[first + l] = (uchar)order[l];
}
