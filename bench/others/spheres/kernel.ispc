#define BOUNCES 4

inline float next(uint32 &state)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) * 1.1920929e-7f - 1.0f;
}

export void spheres(uniform int width, uniform int height, uniform int spheres,
                    uniform const float balls[], uniform float image[])
{
    foreach (row = 0 ... height, column = 0 ... width) {
        int pixel = row * width + column;
        uint32 state = (pixel + 1) * 747796405u;
        float wx = (column - width * 0.5f) / height, wy = (row - height * 0.5f) / height;
        float wz = 1.0f / sqrt(wx * wx + wy * wy + 1.0f);
        wx *= wz;
        wy *= wz;
        float px = 0.0f, py = 0.0f, pz = 0.0f, light = 1.0f, sum = 0.0f;
        for (uniform int bounce = 0; bounce < BOUNCES; bounce++) {
            float nearest = 1e30f;
            int hit = -1;
            for (uniform int s = 0; s < spheres; s++) {
                float ox = px - balls[5 * s], oy = py - balls[5 * s + 1];
                float oz = pz - balls[5 * s + 2];
                uniform float radius = balls[5 * s + 3];
                float b = ox * wx + oy * wy + oz * wz;
                float d = b * b - (ox * ox + oy * oy + oz * oz - radius * radius);
                if (d > 0.0f) {
                    float t = -b - sqrt(d);
                    if (t > 1e-3f && t < nearest) {
                        nearest = t;
                        hit = s;
                    }
                }
            }
            if (hit < 0) {
                sum = light * (0.5f * (wy + 1.0f));
                break;
            }
            px += wx * nearest;
            py += wy * nearest;
            pz += wz * nearest;
            float radius = balls[5 * hit + 3];
            light *= balls[5 * hit + 4];
            wx = (px - balls[5 * hit]) / radius;
            wy = (py - balls[5 * hit + 1]) / radius;
            wz = (pz - balls[5 * hit + 2]) / radius;
            wx += next(state) * 0.51961524f;
            wy += next(state) * 0.51961524f;
            wz += next(state) * 0.51961524f;
            float scale = 1.0f / sqrt(wx * wx + wy * wy + wz * wz);
            wx *= scale;
            wy *= scale;
            wz *= scale;
        }
        image[pixel] = sum;
    }
}
