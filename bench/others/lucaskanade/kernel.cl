kernel void lucaskanade(uint width, uint height, global const float *restrict gx,
                        global const float *restrict gy, global const float *restrict gt,
                        global float *restrict u, global float *restrict v)
{
    uint x = get_global_id(0), y = get_global_id(1), row = width + 4;
    if (x >= width || y >= height)
        return;
    float xx = 0.0f, xy = 0.0f, yy = 0.0f, xt = 0.0f, yt = 0.0f;
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++) {
            uint at = (y + j) * row + x + i;
            float a = gx[at], b = gy[at], c = gt[at];
            xx += a * a;
            xy += a * b;
            yy += b * b;
            xt += a * c;
            yt += b * c;
        }
    float determinant = xx * yy - xy * xy, across = 0.0f, down = 0.0f;
    if (determinant > 1e-6f) {
        across = (xy * yt - yy * xt) / determinant;
        down = (xy * xt - xx * yt) / determinant;
    }
    u[y * width + x] = across;
    v[y * width + x] = down;
}
