kernel void harris(uint width, uint height, float k, global const float *restrict gx,
                   global const float *restrict gy, global float *restrict corner)
{
    uint x = get_global_id(0), y = get_global_id(1), row = width + 2;
    if (x >= width || y >= height)
        return;
    float xx = 0.0f, xy = 0.0f, yy = 0.0f;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            float a = gx[(y + j) * row + x + i], b = gy[(y + j) * row + x + i];
            xx += a * a;
            xy += a * b;
            yy += b * b;
        }
    corner[y * width + x] = xx * yy - xy * xy - k * (xx + yy) * (xx + yy);
}
