export void lucaskanade(uniform int width, uniform int height, uniform const float gx[],
                        uniform const float gy[], uniform const float gt[], uniform float u[],
                        uniform float v[])
{
    uniform int row = width + 4;
    foreach (y = 0 ... height, x = 0 ... width) {
        float xx = 0.0f, xy = 0.0f, yy = 0.0f, xt = 0.0f, yt = 0.0f;
        for (uniform int j = 0; j < 5; j++)
            for (uniform int i = 0; i < 5; i++) {
                int at = (y + j) * row + x + i;
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
}
