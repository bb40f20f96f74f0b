float corner(uint h, float x, float y)
{
    return (h & 1 ? -x : x) + (h & 2 ? -y : y);
}

float fade(float t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

kernel void perlin(uint size, float scale, global const uint *restrict table,
                   global float *restrict out)
{
    uint i = get_global_id(0), j = get_global_id(1);
    if (i >= size || j >= size)
        return;
    float x = i * scale, y = j * scale;
    float wx = floor(x), wy = floor(y);
    uint cx = (uint)wx, cy = (uint)wy;
    x -= wx;
    y -= wy;
    uint a = table[cx & 255] + cy, b = table[(cx + 1) & 255] + cy;
    float p = corner(table[a & 255], x, y), q = corner(table[b & 255], x - 1, y);
    float r = corner(table[(a + 1) & 255], x, y - 1), s = corner(table[(b + 1) & 255], x - 1, y - 1);
    float u = fade(x), v = fade(y);
    float top = p + u * (q - p), bottom = r + u * (s - r);
    out[j * size + i] = top + v * (bottom - top);
}
