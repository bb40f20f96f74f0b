kernel void newtonset(uint width, uint height, uint limit, global uint *restrict steps,
                   global uchar *restrict root)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float a = ((float)x + 0.5f) * (4.0f / (float)width) - 2.0f;
    float b = ((float)y + 0.5f) * (4.0f / (float)height) - 2.0f;
    uint k = 0;
    while (k < limit) {
        float sa = a * a - b * b, sb = 2.0f * a * b;
        float ca = sa * a - sb * b - 1.0f, cb = sa * b + sb * a;
        float size = 3.0f * (sa * sa + sb * sb);
        float da = (ca * sa + cb * sb) / size, db = (cb * sa - ca * sb) / size;
        a -= da;
        b -= db;
        k++;
        if (da * da + db * db < 1e-6f)
            break;
    }
    steps[y * width + x] = k;
    root[y * width + x] = a > 0.0f ? 0 : b > 0.0f ? 1 : 2;
}
