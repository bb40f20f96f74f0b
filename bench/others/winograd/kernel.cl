kernel void winograd(uint wide, uint high, uint channels, global const float *restrict image,
                     global float *restrict planes)
{
    uint x = get_global_id(0), y = get_global_id(1), c = get_global_id(2);
    if (x >= wide || y >= high || c >= channels)
        return;
    uint row = 2 * wide + 2, from = (c * (2 * high + 2) + 2 * y) * row + 2 * x;
    float d[4][4], t[4][4];
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++)
            d[j][i] = image[from + j * row + i];
    for (int i = 0; i < 4; i++) {
        t[0][i] = d[0][i] - d[2][i];
        t[1][i] = d[1][i] + d[2][i];
        t[2][i] = d[2][i] - d[1][i];
        t[3][i] = d[1][i] - d[3][i];
    }
    uint to = (c * high + y) * wide + x, plane = channels * high * wide;
    for (int j = 0; j < 4; j++) {
        planes[to + (4 * j) * plane] = t[j][0] - t[j][2];
        planes[to + (4 * j + 1) * plane] = t[j][1] + t[j][2];
        planes[to + (4 * j + 2) * plane] = t[j][2] - t[j][1];
        planes[to + (4 * j + 3) * plane] = t[j][1] - t[j][3];
    }
}
