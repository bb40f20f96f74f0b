kernel void nms(uint n, float limit, global const float *restrict boxes, global ulong *restrict mask)
{
    local float block[64 * 4];
    uint l = get_local_id(0), row = get_group_id(0), column = get_group_id(1);
    if (row > column)
        return;
    uint other = column * 64 + l, i = row * 64 + l, words = get_num_groups(1);
    if (other < n)
        for (int e = 0; e < 4; e++)
            block[l * 4 + e] = boxes[other * 4 + e];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i >= n)
        return;
    float x0 = boxes[i * 4], y0 = boxes[i * 4 + 1], x1 = boxes[i * 4 + 2], y1 = boxes[i * 4 + 3];
    float area = (x1 - x0) * (y1 - y0);
    uint count = min(n - column * 64, 64u), start = row == column ? l + 1 : 0;
    ulong bits = 0;
    for (uint j = start; j < count; j++) {
        float a0 = block[j * 4], b0 = block[j * 4 + 1], a1 = block[j * 4 + 2], b1 = block[j * 4 + 3];
        float width = fmax(fmin(x1, a1) - fmax(x0, a0), 0.0f);
        float height = fmax(fmin(y1, b1) - fmax(y0, b0), 0.0f);
        float shared = width * height;
        if (shared > limit * (area + (a1 - a0) * (b1 - b0) - shared))
            bits |= 1ul << j;
    }
    mask[i * words + column] = bits;
}
