#define OCTAVES 4

float fade(float t)
{
    return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

float lerp(float t, float a, float b)
{
    return a + t * (b - a);
}

float grad(uint hash, float x, float y, float z)
{
    uint h = hash & 15;
    float u = h < 8 ? x : y;
    float v = h < 4 ? y : h == 12 || h == 14 ? x : z;
    return ((h & 1) == 0 ? u : -u) + ((h & 2) == 0 ? v : -v);
}

kernel void perlin(uint width, uint height, float scale, float start, global const uint *restrict p,
                   global float *restrict image)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (column >= width || row >= height)
        return;
    float px = column * scale, py = row * scale, pz = start, sum = 0.0f, size = 1.0f;
    for (int octave = 0; octave < OCTAVES; octave++) {
        int X = (int)floor(px) & 255, Y = (int)floor(py) & 255, Z = (int)floor(pz) & 255;
        float x = px - floor(px), y = py - floor(py), z = pz - floor(pz);
        float u = fade(x), v = fade(y), w = fade(z);
        uint a = p[X] + Y, aa = p[a] + Z, ab = p[a + 1] + Z;
        uint b = p[X + 1] + Y, ba = p[b] + Z, bb = p[b + 1] + Z;
        float low = lerp(v, lerp(u, grad(p[aa], x, y, z), grad(p[ba], x - 1, y, z)),
                         lerp(u, grad(p[ab], x, y - 1, z), grad(p[bb], x - 1, y - 1, z)));
        float high =
            lerp(v, lerp(u, grad(p[aa + 1], x, y, z - 1), grad(p[ba + 1], x - 1, y, z - 1)),
                 lerp(u, grad(p[ab + 1], x, y - 1, z - 1), grad(p[bb + 1], x - 1, y - 1, z - 1)));
        sum += size * lerp(w, low, high);
        size *= 0.5f;
        px += px;
        py += py;
        pz += pz;
    }
    image[row * width + column] = sum;
}
