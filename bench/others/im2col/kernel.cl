kernel void im2col(uint n, uint height, uint width, global const float *restrict image,
                   global float *restrict columns)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    int x = i % width, y = i / width % height, channel = i / width / height;
    uint to = (channel * 9 * height + y) * width + x;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int u = x + dx, v = y + dy;
            bool inside = u >= 0 && v >= 0 && u < (int)width && v < (int)height;
            columns[to] = inside ? image[(channel * height + v) * width + u] : 0.0f;
            to += height * width;
        }
    }
}
