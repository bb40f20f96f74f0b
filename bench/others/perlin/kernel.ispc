inline float gradient(unsigned int code, float x, float y)
{
    float first = code & 4 ? y : x, second = code & 4 ? x : y;
    return (code & 1 ? -first : first) + (code & 2 ? -2.0f : 2.0f) * second;
}

export void perlin(uniform int width, uniform int height, uniform float step,
                   uniform const unsigned int table[], uniform float noise[])
{
    foreach (row = 0 ... height, column = 0 ... width) {
        float x = column * step, y = row * step, total = 0.0f, share = 1.0f;
        for (uniform int octave = 0; octave < 4; octave++) {
            float left = floor(x), top = floor(y);
            int i = (int)left & 255, j = (int)top & 255;
            float u = x - left, v = y - top;
            float s = u * u * u * (u * (u * 6.0f - 15.0f) + 10.0f);
            float t = v * v * v * (v * (v * 6.0f - 15.0f) + 10.0f);
            int a = table[i] + j, b = table[i + 1] + j;
            float g0 = gradient(table[a], u, v), g1 = gradient(table[b], u - 1.0f, v);
            float g2 = gradient(table[a + 1], u, v - 1.0f);
            float g3 = gradient(table[b + 1], u - 1.0f, v - 1.0f);
            float near = g0 + s * (g1 - g0), far = g2 + s * (g3 - g2);
            total += share * (near + t * (far - near));
            share *= 0.5f;
            x *= 2.0f;
            y *= 2.0f;
        }
        noise[row * width + column] = total;
    }
}
