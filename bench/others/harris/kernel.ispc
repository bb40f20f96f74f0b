export void harris(uniform int width, uniform int height, uniform float k,
                   uniform const float gx[], uniform const float gy[], uniform float corner[])
{
    uniform int row = width + 2;
    foreach (y = 0 ... height, x = 0 ... width) {
        float xx = 0.0f, xy = 0.0f, yy = 0.0f;
        for (uniform int j = 0; j < 3; j++)
            for (uniform int i = 0; i < 3; i++) {
                float a = gx[(y + j) * row + x + i], b = gy[(y + j) * row + x + i];
                xx += a * a;
                xy += a * b;
                yy += b * b;
            }
        corner[y * width + x] = xx * yy - xy * xy - k * (xx + yy) * (xx + yy);
    }
}
