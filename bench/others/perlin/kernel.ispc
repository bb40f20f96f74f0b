static inline float corner(uint32 h, float x, float y)
{
    return ((h & 1) ? -x : x) + ((h & 2) ? -y : y);
}

static inline float fade(float t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

export void perlin(uniform int size, uniform float scale, uniform const uint32 table[],
                   uniform float out[])
{
    foreach (j = 0 ... size, i = 0 ... size) {
        float x = i * scale, y = j * scale;
        float wx = floor(x), wy = floor(y);
        int cx = (int)wx, cy = (int)wy;
        x -= wx;
        y -= wy;
        int a = table[cx & 255] + cy, b = table[(cx + 1) & 255] + cy;
        float p = corner(table[a & 255], x, y), q = corner(table[b & 255], x - 1, y);
        float r = corner(table[(a + 1) & 255], x, y - 1);
        float s = corner(table[(b + 1) & 255], x - 1, y - 1);
        float u = fade(x), v = fade(y);
        float top = p + u * (q - p), bottom = r + u * (s - r);
        out[j * size + i] = top + v * (bottom - top);
    }
}
